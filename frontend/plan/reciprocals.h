#pragma once
// The same kernel with terms of sums, and elements of rows, multiplied by reciprocals of numbers that all of them share.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `V[k] += X[n, k]*X[n, k]/f32(N)` as `V[k] += X[n, k]*X[n, k]*(1/f32(N))`: one division, not one of each term. Of a product of matrices,
/// `C[i, j] += A[n, i]*B[n, j]/f32(N - 1)`, the factor that moves along rows of the result takes it, `A[n, i]*(1/f32(N - 1))*B[n, j]`. The
/// divisors are integers of sizes, converted, or literals, whose reciprocals are as exact as they are: each term is within one unit more in the
/// last place. So is `Y[b, n] = E[b, n]/S[b]` as `E[b, n]*(1/S[b])` where S is the sum of a softmax (see softmax.h) or a root: of other
/// numbers the reciprocal could be infinite where the quotient is not. (On Zen 4, us: softmax of 64x768 21.6, and 18.7; 4,096 vectors of 64
/// divided by their length 40, and 26.) Nothing where there are neither. No errors.
std::optional<Kernel> with_reciprocals(const Kernel&, const Solution&);

}  // namespace halogen
