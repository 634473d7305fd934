#pragma once
// The passes of the solver, one after the other.

#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// The solution without explanations: what `solve` gives, or what it explains. The method is that of docs/solving.md: hulls of
/// accesses, integer equalities, bounds; rules 1 and 2 of the notation choose what stays open.
/// Errors: SizeFailure, with the relations that led to it; Failure where no relation of sizes is to blame.
Solution solve_sizes(const Kernel&, const Settings& known, const std::vector<SizeEquality>& equal);

}  // namespace halogen
