#include "frontend/solve/same_calls.h"

#include "frontend/solve/implied.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace halogen {

namespace {

/// The greatest number that divides all terms: 2 of `2*K`.
std::int64_t content(const Formula& f) {
    std::int64_t divisor = 0;
    for (const auto& [monomial, factor] : f.terms()) divisor = std::gcd(divisor, factor);
    return divisor;
}

/// Both are 0 for the same sizes: K and `2*K`.
bool vanish_alike(const Formula& a, const Formula& b) {
    return a == b || (content(a) && content(b) && a * Formula(content(b)) == b * Formula(content(a)));
}

/// The guard is one of those, which is excused by no more than it is.
bool is_among(const Guard& guard, const std::vector<Guard>& guards) {
    const auto excused = [&](const Formula& f) {
        return std::ranges::any_of(guard.over, [&](const Formula& other) { return vanish_alike(other, f); });
    };
    return std::ranges::any_of(guards, [&](const Guard& known) {
        return known.left == guard.left && known.relation == guard.relation && known.right == guard.right &&
               std::ranges::all_of(known.over, excused);
    });
}

/// What holds in every call of the kernel in which something is computed.
Facts facts_of(const Kernel& kernel, const Solution& solution) {
    Facts facts;
    for (const Guard& guard : solution.guards) facts.add(guard);
    const std::vector<const Tensor*> outputs = kernel.outputs();
    if (outputs.size() == 1)
        for (const Formula& extent : solution.extents.at(outputs.front()->name))
            facts.add_nonnegative(extent - Formula(1));
    return facts;
}

}  // namespace

bool takes_the_same_calls(const Kernel& kernel, const Solution& rewritten, const Solution& written) {
    if (rewritten.symbols != written.symbols || rewritten.sources != written.sources) return false;
    for (const auto& [tensor, extents] : written.extents)
        if (kernel.tensor(tensor).role != Role::intermediate && rewritten.extents.at(tensor) != extents) return false;
    const Facts facts = facts_of(kernel, written);
    return std::ranges::all_of(rewritten.guards, [&](const Guard& guard) {
        return is_among(guard, written.guards) ||
               (guard.relation == Relation::at_most && facts.imply_nonnegative(guard.right - guard.left));
    });
}

}  // namespace halogen
