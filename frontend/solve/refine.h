#pragma once
// A program of which more becomes known: numbers here, equalities there.

#include "frontend/solve/solution.h"

#include <string>
#include <vector>

namespace halogen {

/// Two sizes that are one: names, parameters or dims ("X.0").
struct SizeEquality {
    std::string first, second;
};

/// `solve` with equalities beside numbers; both reach every size, stride and guard that follows from them. An equality
/// between extents that callers give is a guard of the solution. Errors: as for solve.
Result<Solution> refine(const Kernel&, const Settings& known, const std::vector<SizeEquality>& equal);

}  // namespace halogen
