#pragma once
// What an open extent may at most be: the least of the bounds that accesses put on it.

#include "frontend/solve/sizes.h"

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
};
Upper upper_bound(const Sizes&, const std::string& root);

/// The accesses that reach the further the larger the class is, for it is the extent of indices alone.
std::vector<int> falling_constraints(const Sizes&, const std::string& root);
/// The largest number that keeps all of them, by doubling and halving; nothing where another size is open, or where any
/// extent up to 2^40 fits.
std::optional<std::int64_t> largest_that_fits(const Sizes&, const std::string& root,
                                              const std::vector<int>& constraints);

/// True when a left index of the equation of one of the constraints has this extent: then rule 2 is about it.
bool is_left_extent(const Sizes&, const std::string& root, const std::vector<int>& constraints);
/// True when one of the constraints bounds another open size too.
bool shares_bound(const Sizes&, const std::string& root, const std::vector<int>& constraints);

/// Extents that are searched for are below this.
constexpr std::int64_t largest_searched = std::int64_t{1} << 40;

}  // namespace halogen
