#pragma once
// The pass that gives each size its value, as a formula of those left open.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Again and again, as long as one of these gives a value: equalities, dims by what is written in them, rule 2, an output's
/// buffer. What then has no value is nothing's: see fail_undetermined.
/// Errors: SizeFailure(non_integer), SizeFailure(negative).
Sizes&& determine(Sizes&&);

}  // namespace halogen
