#pragma once
// The same kernel with functions of few indices computed before the loops of others.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[t, h, i] = X[t, h, i]*cos(A[t, i])` as `Y_part[t, i] = cos(A[t, i]); Y[t, h, i] = X[t, h, i]*Y_part[t, i]`: what costs as much
/// as a cosine or a square root is not computed again for each h, nor a quotient of i alone, with all that is of t and i alone around
/// it. (Of what the innermost loop does not move compilers take care. The variance normalised, `(X[b, c] - m[c])*rsqrt(v[c] + e)` of
/// 1000x512 f32 on Zen 4: 141 us, and 54 so.)
/// Likewise `Y[i] += X[i, k]*exp(A[k])` as `Y_part[k] = exp(A[k]); Y[i] += X[i, k]*Y_part[k]`, of sums without a condition. (512x500
/// f32 on Emerald Rapids: 64 us, and 16 so.)
/// Nothing where no equation has such a part. `solution` has every symbol open. No errors.
std::optional<Kernel> hoisted(const Kernel&, const Solution&);

}  // namespace halogen
