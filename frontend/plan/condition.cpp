#include "frontend/plan/condition.h"

namespace halogen {

std::string print(const Condition::Term& term) {
    using Kind = Condition::Term::Kind;
    if (term.kind == Kind::at_least) return print(term.left) + " >= " + print(term.right);
    if (term.kind == Kind::apart) return "apart(" + term.tensor + ", " + term.with + ")";
    if (term.kind == Kind::threads_at_most) return "threads() <= " + std::to_string(term.other);
    const std::string stride = "stride(" + term.tensor + ", " + std::to_string(term.dim) + ")";
    if (term.kind == Kind::stride_is) return stride + " == " + std::to_string(term.other);
    return stride + " < stride(" + term.tensor + ", " + std::to_string(term.other) + ")";
}

Condition operator&&(Condition a, const Condition& b) {
    a.all.insert(a.all.end(), b.all.begin(), b.all.end());
    return a;
}

Condition::Term at_least(const Formula& left, const Formula& right) {
    return {Condition::Term::Kind::at_least, {}, 0, 1, left, right};
}

Formula dense_stride(const std::vector<Formula>& extents, int dim) {
    Formula stride = 1;
    for (std::size_t d = static_cast<std::size_t>(dim) + 1; d < extents.size(); d++) stride = stride * extents[d];
    return stride;
}

std::string print(const Condition& condition) {
    std::string text;
    for (const Condition::Term& term : condition.all) text += (text.empty() ? "" : " and ") + print(term);
    if (text.empty()) text = "always";
    return condition.negated ? "not (" + text + ")" : text;
}

}  // namespace halogen
