#pragma once
// Whether a kernel that was rewritten may stand in for the one that was written.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

namespace halogen {

/// Whether the rewritten kernel takes all calls of the one that was written: sizes from the same buffers, inputs and outputs as large, and no
/// guard that does not follow from those already there, with no fewer excuses, or from the only output having elements (for an
/// empty one nothing is computed). No errors.
bool takes_the_same_calls(const Kernel& rewritten, const Solution&, const Solution& written);

}  // namespace halogen
