#pragma once
// `halogen shard --html`: a page that draws the shards of a plan. It stands on its own: no scripts, no network.

#include "frontend/project/planner.h"

#include <string>

namespace halogen {

/// Per step its equations, its cuts, a drawing of each tensor with the part of each shard (what several shards read is darker, places on
/// padding are dashed), halos, and the volumes of each shard. `numbers` has no open sizes; the first 64 shards are drawn.
std::string shard_page(const Kernel&, const Solution& numbers, const ShardPlan&, const std::vector<ShardStep>&,
                       const Cluster&);

}  // namespace halogen
