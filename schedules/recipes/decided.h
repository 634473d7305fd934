#pragma once
// Branches of a history that are decided before any call.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

namespace halogen {

/// `steps` without branches that known sizes decide: with `K` written as 64, `specialize when K >= 16` stands without its
/// condition, and what would follow for other sizes goes; `specialize when K < 16` goes with its steps. Strides of tensors
/// that the kernel makes for itself are known too: they are row-major. No errors.
std::vector<Step> without_decided_branches(const Kernel&, const Solution&, const std::vector<Step>& steps);

}  // namespace halogen
