#pragma once
// The same kernel with rows that are rolled written in two parts.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[i, j] = X[i, (j + b) % W]`, where j goes over all W, as
///   `Y[i, j] = X[i, j + b % W] where j in 0:W - b % W`,
///   `Y[i, j] = X[i, j + b % W - W] where j in W - b % W:W`:
/// both are vectors of what lies side by side. (700 rows of 711 on Zen 4: 970 us, and 49 so; 16 rows of 500 complex numbers 25 and 8, of 9 0.6 and
/// 1.5.) Of the last dim, or the one before a few colours, of tensors with one equation; nothing where no equation is such. No errors.
std::optional<Kernel> rolled(const Kernel&, const Solution&);

}  // namespace halogen
