#include "schedules/bind/taken_twins.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// The terms of `a && b && c`.
std::vector<Expr> terms_of(const Expr& condition) {
    std::vector<Expr> terms;
    split_into_ands(condition, terms);
    return terms;
}

bool contains(const std::vector<Expr>& terms, const Expr& e) {
    return std::any_of(terms.begin(), terms.end(), [&](const Expr& term) { return equal(term, e); });
}

/// What is known in a branch: terms that hold, and lists of terms that do not hold together.
struct Known {
    std::vector<Expr> hold;
    std::vector<std::vector<Expr>> fail;

    std::optional<bool> decide(const Expr& condition) const {
        const std::vector<Expr> terms = terms_of(condition);
        const auto holds = [&](const Expr& term) { return contains(hold, term); };
        if (std::all_of(terms.begin(), terms.end(), holds)) return true;
        for (const std::vector<Expr>& list : fail) {
            const auto met = [&](const Expr& term) { return holds(term) || contains(terms, term); };
            if (std::all_of(list.begin(), list.end(), met)) return false;
        }
        return std::nullopt;
    }
};

class Take : public IRMutator {
public:
    explicit Take(const Known& known) : known_(known) {}

private:
    using IRMutator::visit;

    Expr visit(const Select* select) override {
        if (!select->condition.type().is_scalar()) return IRMutator::visit(select);
        const std::optional<bool> decided = known_.decide(simplify(select->condition));
        if (!decided) return IRMutator::visit(select);
        return mutate(*decided ? select->true_value : select->false_value);
    }

    const Known& known_;
};

void take(Definition& definition, Known inside) {
    for (Specialization& branch : definition.specializations()) {
        const std::vector<Expr> terms = terms_of(simplify(branch.condition));
        Known there = inside;
        there.hold.insert(there.hold.end(), terms.begin(), terms.end());
        take(branch.definition, there);
        inside.fail.push_back(terms);
    }
    for (Expr& value : definition.values())
        value = common_subexpression_elimination(Take(inside).mutate(substitute_in_all_lets(value)));
}

}  // namespace

void take_twins(Halide::Func& func) {
    Function function = func.function();
    if (function.has_pure_definition() && !function.definition().specializations().empty())
        take(function.definition(), {});
}

}  // namespace halogen
