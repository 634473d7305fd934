#pragma once
// The same kernel without padding that is known to be none.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `X: f32[H, W]` where `X: f32[H pad P, W pad P] else 0` was declared and P is solved to be 0: all reads lie inside, and no copy with
/// edges is needed. Nothing where no dim is one. No errors.
std::optional<Kernel> unpadded(const Kernel&, const Solution&);

}  // namespace halogen
