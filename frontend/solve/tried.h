#pragma once
// Largest extents that are found by trying all points.

#include "frontend/solve/sizes.h"

#include <cstdint>
#include <optional>
#include <string>

namespace halogen {

/// An extent, the place of `Sizes::loose` that bounds it, and the access that it is of.
struct TriedExtent {
    std::int64_t extent;
    const LoosePlace* bound;
    const Use* use;
};

/// The largest extent of a class with which the places without exact bounds stay inside, each point of their indices being looked
/// at: of `Y[m] = X[abs(m - abs(i - 3))] where i in 0:7` with X.0 = 5 that of `m` is 5. Nothing where none of them moves with it,
/// all stay inside at the extent `most`, another number is missing, or there are too many points.
std::optional<TriedExtent> largest_by_points(const Sizes&, const std::string& root,
                                             std::optional<std::int64_t> most = std::nullopt);

/// A place without an exact bound that may end the class, where a number is missing to look at its points; null where there is none.
const LoosePlace* untried_end(const Sizes&, const std::string& root);

}  // namespace halogen
