#include "frontend/solve/given.h"

#include "frontend/formula/linear_part.h"
#include "frontend/solve/failure.h"
#include "frontend/solve/upper.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// An equality gives the size, whatever accesses allow: with N = 4 and Z.0 = 8, N*M == Z.0 gives M.
bool is_fixed_by_equality(const Sizes& s, const std::string& root) {
    return std::any_of(s.equalities.begin(), s.equalities.end(), [&](const Equality& e) {
        const Formula difference = s.classes.resolve(e.left, root) - s.classes.resolve(e.right, root);
        const auto part = linear_part(difference, root);
        return part && part->factor.constant().value_or(0) != 0 && part->rest.is_constant();
    });
}

void check(Sizes& s, const std::string& root, const std::string& setting) {
    const Upper upper = largest_bound(s, root);
    if (!upper.value || !is_left_extent(s, root) || is_fixed_by_equality(s, root)) return;
    const Constraint& first = s.constraints[upper.constraints.front()];
    if (s.classes.value(root) == std::optional(Formula(0)))
        fail(s,
             error_at(s.kernel(), ErrorKind::negative,
                      fmt::format("`{}` is 0, but the largest extent that keeps {} inside is at least 1", setting,
                                  first.access),
                      first.why.equation, "give a size of at least 1"),
             {{Formula::symbol(root)}});
    if (upper.waits || shares_bound(s, root, upper.constraints)) return;
    std::vector<Formula> slacks;
    for (int id : upper.constraints) slacks.push_back(s.constraints[id].slack);
    for (int id : upper.satisfied) s.constraints[id].satisfied = true;
    s.positive.insert(s.positive.end(), upper.positive.begin(), upper.positive.end());
    const Reason why{first.why.equation, first.why.tensor, first.why.dim, "",
                     fmt::format("`{}` is the largest extent that keeps {} inside", setting, first.access)};
    s.equalities.push_back({*upper.value, *s.classes.value(root), why, false, true, std::move(slacks), first.access});
}

}  // namespace

Sizes check_given(Sizes s) {
    for (const auto& [root, setting] : std::map(s.given)) {
        if (s.classes.root(root) == root && is_eligible(s, root)) check(s, root, setting);
    }
    return s;
}

}  // namespace halogen
