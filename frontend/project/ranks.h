#pragma once
// Which shard of each step a rank runs: as many ranks work as the step with the most shards has.

#include "frontend/project/steps.h"

#include <cstdint>
#include <vector>

namespace halogen {

/// The most shards of any step; at least 1.
std::int64_t ranks_of(const std::vector<ShardStep>&);

/// The shard of step `number` that a rank runs. A step with a shard for each rank gives rank r its shard r. One with fewer is run by
/// several ranks alike: each takes the shard that lies on what it has in the nearest earlier (else later) step with a shard for each
/// rank. Behind b=2,n=2, step b=2 is run as 0, 0, 1, 1 and step n=2 as 0, 1, 0, 1. Every shard is some rank's.
std::int64_t shard_of(const std::vector<ShardStep>&, int number, std::int64_t rank);

/// The first rank that runs the shard.
std::int64_t rank_of(const std::vector<ShardStep>&, int number, std::int64_t shard);

}  // namespace halogen
