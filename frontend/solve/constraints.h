#pragma once
// The pass that states what must not be negative: every access stays inside its tensor, ranges do not end before they begin.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Every access becomes inequalities in the extents, by the hull of its places: `X[2*y + r]` gives 2*OH + R - 2 <= H.
/// Where a hull is not exact, places that may lie outside are noted to be looked at when the kernel runs.
Sizes&& add_constraints(Sizes&&);

}  // namespace halogen
