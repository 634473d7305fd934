#pragma once
// Sums of products of two tensors.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <string>
#include <utility>

namespace halogen {

/// A and B of `C[i, j] += A[i, k]*B[k, j]`, converted or as they are, where the sum runs over `index` (k) along the whole of one
/// dim of each: past its end there is nothing of either. Nothing for other equations, under conditions, for tensors with a
/// padding and where both are one tensor. The reads live as long as the kernel. No errors.
std::optional<std::pair<const Access*, const Access*>> whole_factors(const Kernel&, const Solution&, int equation,
                                                                     const std::string& index);

}  // namespace halogen
