#pragma once
// Undeclared dims that no index alone fixes: they end at the last position that an equation writes.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Notes the last positions written, by dim: `Y[2*i + 1] = X[i]` gives 2*X.0 - 1 for `Y.0`.
Sizes&& find_definitions(Sizes&&);

/// Gives dims their extents as far as the sizes in them have values. True when there was one.
bool use_definitions(Sizes&);

}  // namespace halogen
