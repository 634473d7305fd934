#include "frontend/lower/condition.h"

namespace halogen {

namespace {

std::string print_term(const Condition::Term& term) {
    if (term.kind == Condition::Term::Kind::unit_stride) return "stride(" + term.tensor + ", " + std::to_string(term.dim) + ") == 1";
    return print(term.left) + (term.kind == Condition::Term::Kind::at_least ? " >= " : " <= ") + print(term.right);
}

}  // namespace

std::string print(const Condition& condition) {
    std::string text;
    for (const Condition::Term& term : condition.all) text += (text.empty() ? "" : " and ") + print_term(term);
    if (text.empty()) text = "always";
    return condition.negated ? "not (" + text + ")" : text;
}

}  // namespace halogen
