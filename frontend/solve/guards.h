#pragma once
// The pass over conditions: those that numbers decide are checked, the rest become guards.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Equal sizes, equalities, accesses, strides: `A.1 == B.0`, `R <= H`. A place without exact bounds that no bound of a size
/// keeps inside is to be looked at when the kernel runs. Errors: SizeFailure for what does not hold.
Sizes&& check_or_guard(Sizes&&);

}  // namespace halogen
