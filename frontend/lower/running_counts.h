#pragma once
// Places that count what was selected before: `Y[P[i] - 1] = X[i] where X[i] > t`, with P the running count of `X[i] > t`.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

namespace halogen {

/// True where dim `dim` of what the equation writes is a running count of one of its own predicates, one less where the point itself is
/// counted: no two points meet there, and the places are 0, 1, 2 and so on. `lies_inside` tells whether the tensor has them all.
bool is_running_count(const Kernel&, const Solution&, int equation, int dim, bool& lies_inside);

}  // namespace halogen
