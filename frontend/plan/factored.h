#pragma once
// The same kernel with the factors that products of matrices use again computed once.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[i, j] += alpha*A[i, k]*B[k, j]` as `Y_factor[i, k] = alpha*A[i, k]; Y[i, j] += Y_factor[i, k]*B[k, j]`: a factor that all
/// elements of a row share is arithmetic of each element no more. A factor that is read from the tensor of the other one
/// (`A[i, k]*A[j, k]`) becomes a tensor of its own too: what is packed for one place would be read at both.
/// Nothing where no product has such a factor. `solution` has every symbol open. No errors.
std::optional<Kernel> factored(const Kernel&, const Solution&);

}  // namespace halogen
