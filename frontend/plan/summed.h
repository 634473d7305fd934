#pragma once
// The same kernel with sums made before they are scattered.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Z[T*y + r] += X[y, c]*F[r, c]` as `Z_sum[r, y] += X[y, c]*F[r, c]; Z[T*y + r] += Z_sum[r, y]`: what is reduced before any
/// place on the left is known becomes a reduction of its own, which register tiles and threads compute (transposed convolutions,
/// products whose rows are scattered). It holds one element for each point that is scattered.
/// Nothing where no equation scatters a reduction. `solution` has every symbol open. No errors.
std::optional<Kernel> summed(const Kernel&, const Solution&);

}  // namespace halogen
