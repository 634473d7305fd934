#pragma once
// The same kernel with the dim last of intermediates that vectors run along.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `E[y, x, r, s] = exp(X[y + r, x + s] - X[y, x]); S[y, x] += E[y, x, r, s]` of five r and five s as
///   `E[y, r, s, x] = exp(X[y + r, x + s] - X[y, x]); S[y, x] += E[y, r, s, x]`: vectors run along what lies side by side of X and of S.
/// Of intermediates alone, whose last dims have known extents, few in all, and are reduced by all that read them; or that are made in
/// steps along their last dim, of which readers take one or reduce all, from what does not lie along it:
/// `a[n, p] = a[n, p - 1]*X[n] + c[p]; Y[n] = a[n, P - 1]` as `a[p, n] = a[p - 1, n]*X[n] + c[p]; Y[n] = a[P - 1, n]`.
/// Nothing where no intermediate is one. `solution` has every symbol open. No errors.
std::optional<Kernel> vector_dim_last(const Kernel&, const Solution&);

}  // namespace halogen
