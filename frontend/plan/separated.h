#pragma once
// The same kernel with windows of several dims reduced a dim at a time.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `A[y, x] += X[y + i, x + j]*g[i]*h[j]` as `A_rows[y, x] += X[y, x + j]*h[j]; A[y, x] += A_rows[y + i, x]*g[i]`: a window of M by N
/// elements takes M + N steps instead of M*N, for its rows are shared by M results. Likewise the largest and the least of windows.
/// Only where windows move by one element along the dim that is left for later, and are not so small that several results of a small
/// window are computed from one read of it. One dim of each equation: of three dims, two remain to be separated.
/// Nothing where no equation has such windows. `solution` has every symbol open. No errors.
std::optional<Kernel> separated(const Kernel&, const Solution&);

}  // namespace halogen
