#pragma once
// The same kernel with sums of the same rows made in one pass.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `S[m] += X[m, n]; Q[m] += X[m, n]*X[m, n]` as `S_both[m, p] += select(p == 0, X[m, n], X[m, n]*X[m, n]) where p in 0:2; S[m] = S_both[m, 0];
/// Q[m] = S_both[m, 1]`: what two to four reductions of one kind read of the same rows, along their elements, is read once. None of them reads what
/// becomes of another. Nothing where there are no such reductions. `solution` has every symbol open. No errors.
std::optional<Kernel> side_by_side(const Kernel&, const Solution&);

}  // namespace halogen
