#pragma once
// Tensors that their equations fill: nobody sees what was there at first.

#include "frontend/notation/program.h"
#include "frontend/notation/versions.h"
#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// True when the equations, all those of one tensor, assign every element along one dim from first to last, and read none that they have
/// not assigned: `Y[0, j] = X[0, j]; Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:M`. Or the only one has as many points as there are
/// elements: `Y[2*i + j] = X[i, j] where j in 0:2`. No errors.
bool is_filled(const Kernel&, const Solution&, const std::vector<int>& equations);
/// What a version's tensor holds before its equations is never seen, so nothing need be written there.
bool starts_unseen(const Kernel&, const Solution&, const Version&);

}  // namespace halogen
