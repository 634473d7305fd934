#pragma once
// The pass for rule 1: an index that stands alone in a bracket runs over just that dim.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Gives every index its range. That of `i in a:b` is told; an index that stands alone has the extent of those dims, which
/// become one size; any other has an extent of its own (`r@2`). Numbers in `known` for indices hold in all equations.
/// Errors: SizeFailure(contradictory) where two numbers would be one size; as for set_number.
Sizes&& pin_indices(Sizes&&, const Settings& known);

}  // namespace halogen
