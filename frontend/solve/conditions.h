#pragma once
// The conditions of a kernel and its lets that are sizes: facts from the start, and guards.

#include "frontend/solve/sizes.h"

namespace halogen {

/// `where N == M` makes two sizes one; `where N % 4 == 0` and `let Q = N/4` are equalities.
/// Errors: SizeFailure(contradictory) where the sizes are given and differ.
Sizes&& equate_conditions(Sizes&&);

/// `where 1 <= R, R < N` are constraints, and `R` is at least 1 in all that is concluded from here on. Every input is open or given.
Sizes&& require_conditions(Sizes&&);

}  // namespace halogen
