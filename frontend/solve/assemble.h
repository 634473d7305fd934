#pragma once
// The last pass: the solution that solved sizes are.

#include "frontend/solve/sizes.h"
#include "frontend/solve/solution.h"

namespace halogen {

/// Every size, extent, index range, access and guard over the sizes left open. Errors: Failure(overflow) past 2^62.
Solution solution_of(const Sizes&);

}  // namespace halogen
