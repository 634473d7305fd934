#pragma once
// Runs the shards of a plan, several at once, over parts of the same tensors.

#include "frontend/interpret/tensors.h"
#include "frontend/project/shard_kernel.h"
#include "frontend/project/tensor_part.h"

#include <functional>

namespace halogen {

/// One call of a shard's kernel: its inputs and outputs by their names in that kernel. Whoever runs it leaves the inputs as they are.
struct ShardTask {
    int step = 0;
    const ShardKernel* shard = nullptr;
    ShardCall call;
    std::map<std::string, TensorPart> parts;
};
using RunTask = std::function<void(const ShardTask&)>;

/// Step after step, the shards of each on `threads` threads at once; each shard writes its own part of the results. Partial results
/// are combined by a tree that depends on their number alone: 0 with 1, 2 with 3, then pairs of those, so that a plan gives the same
/// bits on every run and on any number of threads. `tensors` holds the inputs; outputs and tensors between steps are added.
/// Errors: what `run` throws first, in the order of shards; overflow where memory does not suffice.
void run_shards(const Kernel&, const Solution& numbers, const std::vector<ShardStep>&, const std::vector<ShardKernel>&,
                Tensors& tensors, int threads, const RunTask& run);

/// a = a op b, element by element; both have the same type and extents.
void combine(Op op, HostTensor& a, const HostTensor& b);

}  // namespace halogen
