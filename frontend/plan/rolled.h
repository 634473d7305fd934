#pragma once
// The same kernel with rows that are rolled written in two parts.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[i, j] = X[i, (j + b) % W]`, where j goes over all W, as
///   `Y[i, j] = X[i, j + b % W] where j in 0:W - b % W`,
///   `Y[i, j] = X[i, j + b % W - W] where j in W - b % W:W`:
/// both are vectors of what lies side by side. (700 rows of 711 on Zen 4: 970 us, and 49 so.) Of the last dim of tensors with one equation; nothing
/// where no equation is such. No errors.
std::optional<Kernel> rolled(const Kernel&, const Solution&);

}  // namespace halogen
