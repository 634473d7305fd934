#pragma once
// The parts of tensors that shards work on, as text for programs that call the compiled kernel (runtime/shards.h reads it).

#include "frontend/project/shard_kernel.h"

#include <string>

namespace halogen {

/// "halogen parts 1", the kernel and its key, the extents of its tensors, then per shard a line for each tensor: its first place and
/// how many there are, dim by dim. `same` is the kernel itself as the kernel of its only step (same_kernel.h).
std::string print_parts(const Kernel&, const std::string& key, const Solution& numbers, const ShardStep&,
                        const ShardKernel& same);

}  // namespace halogen
