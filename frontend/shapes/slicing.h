#pragma once
// Ranges of a dim.

#include "frontend/shapes/rules.h"

namespace halogen::shapes {

/// The extent of start:end:step along a dim of `extent`, as the arguments `start`, `end`, `step` give it: negative ends count
/// from the last, both are clamped, so any range has an extent.
Formula slice_extent(Call&, const Formula& extent);

/// `position` counted from the first element: a negative one counts from the end.
Formula counted_from_front(Call&, const Formula& position, const Formula& extent);

/// The condition that the position argument `name` gives lies inside `extent`, negative ones counted from the end.
void require_inside(Call&, std::string_view name, const Formula& extent);

}  // namespace halogen::shapes
