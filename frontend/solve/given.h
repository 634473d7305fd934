#pragma once
// The pass that looks at numbers given for sizes that rule 2 would find: they must be the largest.

#include "frontend/solve/sizes.h"

namespace halogen {

/// `--set OH=3` where X is read at `y + r`: OH must be X.0 - R + 1, which is stated as an equality.
/// Errors: SizeFailure(negative) for a 0.
Sizes&& check_given(Sizes&&);

}  // namespace halogen
