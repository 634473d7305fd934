#pragma once
// The pass that refuses sizes that nothing fixes.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Errors: Failure(underdetermined), with what is known of the size and how to give it.
Sizes&& refuse_undetermined(Sizes&&);

}  // namespace halogen
