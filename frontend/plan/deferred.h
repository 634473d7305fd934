#pragma once
// The same kernel with quotients taken of a product rather than of each of its terms.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// Attention's `W[i, j] = P[i, j]/S[i]; Y[i, e] += W[i, j]*V[j, e]` as `W[i, j] = P[i, j]; Y_sum[i, e] += W[i, j]*V[j, e];
/// Y[i, e] = select(M > 0, Y_sum[i, e]/S[i], 0)`: a division for each element of the result, not for each pair (M. Milakov, N. Gimelshein: Online
/// normalizer calculation for softmax, 2018; T. Dao et al.: FlashAttention, 2022). Only of numerators that are at most 1, `exp(Z[i, j] - T[i])` with
/// `T[i] max= Z[i, j]`: of others the sum could leave the range of numbers where that of the quotients does not. (12 heads of 1024x1024x64 on
/// Zen 4: 42.1 ms, and 38.4 so.)
/// Nothing where no equation multiplies such quotients. `solution` has every symbol open. No errors.
std::optional<Kernel> deferred(const Kernel&, const Solution&);

}  // namespace halogen
