#pragma once
// Equalities in one open size, in which they are linear, give it its value.

#include "frontend/solve/sizes.h"

namespace halogen {

/// 2*N == X.0 gives N = X.0/2, under the guard that 2 divides X.0. True when there was one.
/// Errors: SizeFailure(non_integer), SizeFailure(negative).
bool use_equalities(Sizes&);

}  // namespace halogen
