#pragma once
// The same kernel with steps that lie in turns in the memory of a few.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// Of `D[k, i, j] = min(D[k - 1, i, j], D[k - 1, i, k - 1] + D[k - 1, k - 1, j]) where k in 1:N + 1; Y[i, j] = D[N, i, j]` nobody asks for
/// a step but the last, and each follows from the one before: they lie in two places of D, in turns (`Dim::turns`), the steps' dim first.
/// Of intermediates of which each step is made whole, and reads elements of earlier steps beside its own; what stands at its own alone is
/// made by columns. Nothing where there is none. `solution` has every symbol open. No errors.
std::optional<Kernel> folded(const Kernel&, const Solution&);

}  // namespace halogen
