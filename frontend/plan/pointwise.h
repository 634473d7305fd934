#pragma once
// The same kernel without windows that are one point.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[n, k, y, x] += X[n, c, T*y + D*r - P, T*x + D*s - P]*F[k, c, r, s]` as `Y[n, k, y, x] += X[n, c, y, x]*F[k, c, 0, 0]`, where R, S and T are
/// known to be 1 and P to be 0: a product of matrices, whose pixels are one dim. (56x56x64 by 256 filters, channels first, f32 on Zen 4:
/// 1.16 ms, and 0.92 so, where rows of 56 pixels leave an eighth of the lanes empty.)
/// Nothing where no reduced index that moves beside another is known to have one value. `sizes` gives the sizes that are known, `solution` has
/// every symbol open. No errors.
std::optional<Kernel> pointwise(const Kernel&, const Solution& solution, const Settings& sizes);

}  // namespace halogen
