#pragma once
// The pass for rule 3: sizes of inputs from what is known of outputs.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Equalities with given numbers go to the exact engine, group by group of those that share open sizes; a dim of an input read
/// at compound places is the least that will do: `X[2*y + r]` with OH=3 and R=2 gives X.0 = 6. What stays open beside other
/// open sizes is inverted as a formula.
/// Errors: SizeFailure(contradictory, non_integer, negative, underdetermined).
Sizes&& solve_backward(Sizes&&, const Settings& known);

}  // namespace halogen
