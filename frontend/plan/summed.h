#pragma once
// The same kernel with sums made before they are scattered or chosen.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Z[T*y + r] += X[y, c]*F[r, c]` as `Z_sum[r, y] += X[y, c]*F[r, c]; Z[T*y + r] += Z_sum[r, y]`: what is reduced before any
/// place on the left is known becomes a reduction of its own, which register tiles and threads compute (transposed convolutions,
/// products whose rows are scattered). It holds one element for each point that is scattered; of `S[0] += X[n]` that is one. (Sums, sums of
/// squares and the largest of 100,000 f32 in three places of one tensor on Zen 4: 272 us in order, 6.9 so.)
/// A product of matrices whose condition asks for elements of the result alone, `Y[i, j] += A[i, k]*B[k, j] where j <= i`, likewise
/// becomes the product and the choice: `Y_sum[i, j] += A[i, k]*B[k, j]; Y[i, j] += Y_sum[i, j] where j <= i`.
/// Nothing where no equation scatters a reduction or chooses so. `solution` has every symbol open. No errors.
std::optional<Kernel> summed(const Kernel&, const Solution&);

}  // namespace halogen
