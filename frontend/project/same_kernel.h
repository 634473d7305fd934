#pragma once
// Shards that are calls of the whole kernel at their own sizes, on parts of its tensors: no padding at an inner border, no index used
// by value, no size that means something else for a part.

#include "frontend/project/shard_kernel.h"

#include <string>
#include <variant>

namespace halogen {

/// The kernel itself as the kernel of its only step, or why a shard is no call of it: a clause in the user's names.
/// `numbers` is a solution without open sizes; every shard is looked at.
std::variant<ShardKernel, std::string> same_kernel_of(const Kernel&, const Solution& numbers,
                                                      const std::vector<ShardStep>&);

}  // namespace halogen
