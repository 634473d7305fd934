#pragma once
// The pass that looks for points that meet in one element: an error under `=` (docs/notation.md, "Equations").

#include "frontend/solve/sizes.h"

namespace halogen {

/// With numbers exactly; else by guards under which each step of the left side is wider than the smaller ones reach:
/// `Y[W*i + j] = X[i, j]` needs X.1 <= W. Places by data are checked when the kernel runs.
/// Errors: Failure(index) where points meet.
Sizes&& check_collisions(Sizes&&);

}  // namespace halogen
