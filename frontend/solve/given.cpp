#include "frontend/solve/given.h"

#include "frontend/formula/bound.h"
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

/// Wherever a left index has the extent and moves an access, it stands alone in a read too: rule 1 pins it, and the number says
/// to what. Of `I[k] += T[k + 2, k]` with H = 5 for dim 1 of T, `k` has 5 values.
bool is_pinned_by_reads(const Sizes& s, const std::string& root) {
    const auto is_pinned = [&](int equation, const std::string& index) {
        const auto uses = s.model->uses_of(equation);
        return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
            for (int d = 0; d < static_cast<int>(use.places.size()) && !use.is_left; ++d)
                if (use.places[d].bare == index && !s.model->is_stencil_read(use, d, index)) return true;
            return false;
        });
    };
    const auto falling = falling_constraints(s, root);
    return !falling.empty() && std::all_of(falling.begin(), falling.end(), [&](int id) {
        const Constraint& c = s.constraints[id];
        for (const auto& [index, range] : s.indices[c.why.equation]) {
            const auto name = range.extent.as_symbol();
            if (name && !range.reduced && s.classes.is_in(*name, root) && !is_pinned(c.why.equation, index))
                return false;
        }
        return true;
    });
}

/// What bounds the class follows from the class itself: a circle, which a number given for the class opens. Of
/// `T[i] += W[M - i]; Y[2*i] += T[i] where i in 0:M` with a number for M, T is as long as M admits, and so admits M.
bool is_a_circle(const Sizes& s, const std::string& root, const std::vector<int>& constraints) {
    const auto is_bound_by_root = [&](const std::string& name) {
        if (!s.classes.has(name) || s.classes.is_in(name, root)) return false;
        const auto found = s.derivations.find(s.classes.root(name));
        if (found == s.derivations.end()) return false;
        const auto& slacks = found->second.from;
        return std::any_of(slacks.begin(), slacks.end(),
                           [&](const Formula& slack) { return mentions(s.classes.resolve(slack, root), root); });
    };
    return std::any_of(constraints.begin(), constraints.end(), [&](int id) {
        bool found = false;
        s.constraints[id].slack.for_each_symbol(
            [&](const std::string& name) { found = found || is_bound_by_root(name); });
        return found;
    });
}

void check(Sizes& s, const std::string& root, const std::string& setting) {
    const Upper upper = largest_bound(s, root);
    if (!upper.value || !is_left_extent(s, root) || is_fixed_by_equality(s, root) || is_pinned_by_reads(s, root))
        return;
    const Constraint& first = s.constraints[upper.constraints.front()];
    if (s.classes.value(root) == std::optional(Formula(0)))
        fail(s,
             error_at(s.kernel(), ErrorKind::negative,
                      fmt::format("`{}` is 0, but the largest extent that keeps {} inside is at least 1", setting,
                                  first.access),
                      first.why.equation, "give a size of at least 1"),
             {{Formula::symbol(root)}});
    if (upper.waits || shares_bound(s, root, upper.constraints) || is_a_circle(s, root, upper.constraints)) return;
    std::vector<Formula> slacks;
    for (int id : upper.constraints) slacks.push_back(s.constraints[id].slack);
    for (int id : upper.satisfied) s.constraints[id].satisfied = true;
    s.positive.insert(s.positive.end(), upper.positive.begin(), upper.positive.end());
    const Reason why{first.why.equation, first.why.tensor, first.why.dim, "",
                     fmt::format("`{}` is the largest extent that keeps {} inside", setting, first.access)};
    s.equalities.push_back({*upper.value, *s.classes.value(root), why, false, true, std::move(slacks), first.access});
}

}  // namespace

Sizes&& check_given(Sizes&& s) {
    for (const auto& [root, setting] : std::map(s.given)) {
        if (s.classes.root(root) == root && is_eligible(s, root)) check(s, root, setting);
    }
    return std::move(s);
}

}  // namespace halogen
