#pragma once
// Places from data that their own `min` and `max` keep inside.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <vector>

namespace halogen {

/// What must be at least 0 for a place of an equation, `min(max(I[m], 0), N - 2)` of X: f32[N], to lie between 0 and `extent` whatever the
/// data: `N - 2`, and `N - 1 - (N - 2)`. So it is of an element of a tensor whose only equation makes all of it so, of choices, of sums with numbers
/// of sizes and indices, and of real numbers that are cast, `i32(min(max(floor(P[m]), 0), f32(N - 2)))`. Nothing where the data decide, or are no
/// i32 or i64, in which alone sizes fit. No errors.
std::optional<std::vector<Formula>> enough_to_lie_inside(const Kernel&, const Solution&, int equation,
                                                         const Expr& place, const Formula& extent);

}  // namespace halogen
