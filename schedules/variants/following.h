#pragma once
// The variants that follow from a kernel's own equations.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <vector>

namespace halogen {

/// In the order in which a call is offered them; `docs/schedules.md` says which and why. Not the one that serves every call.
std::vector<Variant> following_variants(const Kernel&, const Solution& open, bool rewrites);

/// An input or output that is no single number.
bool has_elements(const Tensor&);

}  // namespace halogen
