#pragma once
// The same kernel with short dims of intermediates before the long one.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `E[y, x, r, s] = exp(X[y + r, x + s] - X[y, x]); S[y, x] += E[y, x, r, s]` of five r and five s as
///   `E[y, r, s, x] = exp(X[y + r, x + s] - X[y, x]); S[y, x] += E[y, r, s, x]`: vectors run along what lies side by side of X and of S.
/// Of intermediates alone, whose last dims have known extents, few in all, and are reduced by all that read them.
/// Nothing where no intermediate is one. `solution` has every symbol open. No errors.
std::optional<Kernel> short_dims_first(const Kernel&, const Solution&);

}  // namespace halogen
