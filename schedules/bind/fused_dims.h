#pragma once
// Which dims of a Func stand together in one loop.

#include "frontend/plan/emission.h"
#include "schedules/history/step.h"

#include <vector>

namespace halogen {

/// One for each pair of loops that steps fuse, in order, with the dims that the fused loops come from by splits, names and earlier fusions.
std::vector<FusedDims> fused_dims(const std::vector<Step>&);

}  // namespace halogen
