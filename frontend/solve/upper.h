#pragma once
// What an open extent may at most be: the least of the bounds that accesses put on it.

#include "frontend/solve/sizes.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// The bound of a class by its accesses: of `X[2*i + r]` it is (X.0 - R + 1)/2 for the extent of `i`.
struct Upper {
    std::optional<Formula> value;   // nothing where nothing bounds it
    std::vector<int> constraints;   // places in Sizes::constraints of those that bound it
    std::vector<Formula> positive;  // strides that have to be at least 1 for it
    std::vector<int> satisfied;     // those that hold by its choice
    bool waits = false;             // for another size
    bool is_outside_cases = false;  // a formula bounds it, but not with these numbers: of X[K*i] with K = 0
};
Upper upper_bound(const Sizes&, const std::string& root);

/// Whether a slack falls as the class grows, by much, or by the more the larger another size is.
bool may_end(const Formula& slack, const std::string& root);

/// The bound by formulas and by a search, where no formula gives that of an access: of `X[i*i]` with X.0 = 10 it is 4. No value
/// where a search would need numbers that are open.
Upper largest_bound(const Sizes&, const std::string& root);

/// The accesses that reach the further the larger the class is, for it is the extent of indices alone.
std::vector<int> falling_constraints(const Sizes&, const std::string& root);
/// True when a left index has this extent in an equation with an access that moves with it: then rule 2 is about it, also
/// where numbers leave nothing of that access, as of `X[min(i, 3)]` with X.0 = 9.
bool is_left_extent(const Sizes&, const std::string& root);
/// Likewise of one place.
bool is_left_extent_of(const Sizes&, const Use&, int dim, const std::string& root);
/// True when the class is the extent of indices alone: then the place reaches the further the larger it is.
bool only_reaches_further_with(const Sizes&, const Use&, int dim, const std::string& root);
/// True when one of the constraints bounds another open size too.
bool shares_bound(const Sizes&, const std::string& root, const std::vector<int>& constraints);

/// The largest extent that fits, by doubling and halving, for what fits an extent fits those below it; nothing where `fits` cannot say.
std::optional<std::int64_t> largest_that_fits(const std::function<std::optional<bool>(std::int64_t)>& fits);

/// Extents that are searched for are below this.
constexpr std::int64_t largest_searched = std::int64_t{1} << 40;

}  // namespace halogen
