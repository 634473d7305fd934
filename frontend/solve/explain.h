#pragma once
// Failures of solving told so that they can be mended.

#include "frontend/solve/failure.h"
#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// The error with sizes near those given that would fit (`near X.0 = 8 gives N = 4`), and the relations that led to it
/// (`from 1:34: …`). Solves again with each proposal.
Error explained(const Failure&, const Kernel&, const Settings& known, const std::vector<SizeEquality>& equal);

}  // namespace halogen
