#pragma once
// The same kernel with sums of products of several factors made in the order that takes the fewest steps.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `D[i, j] += A[i, k]*B[k, l]*C[l, j]` as `D_pair[k, j] += B[k, l]*C[l, j]; D[i, j] += D_pair[k, j]*A[i, k]`: factors that share a reduced
/// index are summed along it before the others, which do not know of it, join them (C. Lam, P. Sadayappan, R. Wenger: On optimizing a class
/// of multi-dimensional loops with reductions, 1997). Only where that takes at most half the steps, an unknown extent taken for 64.
/// One index of each equation. Nothing where no equation has such factors. `solution` has every symbol open. No errors.
std::optional<Kernel> pairwise(const Kernel&, const Solution&);

}  // namespace halogen
