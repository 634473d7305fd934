#pragma once
// The sizes of a kernel from whatever is known of them.

#include "frontend/base/error.h"
#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// Solves all sizes of a checked kernel from whatever is known (docs/notation.md, "Sizes").
/// `known`: sizes, parameters, tensor dims ("X.0"), or indices where all equations that use one agree.
/// Units: elements. Errors: contradictory, non_integer, negative, underdetermined, overflow, too_complex, name.
/// Source: interval hulls, integer equalities (Hermite form), bounds (simplex with branch and bound); see passes.cpp.
Result<Solution> solve(const Kernel&, const Settings& known = {});

/// `solve` with equalities beside numbers; both reach every size, stride and guard that follows from them. An equality
/// between extents that callers give is a guard of the solution. Errors: as for solve.
Result<Solution> refine(const Kernel&, const Settings& known, const std::vector<SizeEquality>& equal);

}  // namespace halogen
