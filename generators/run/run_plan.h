#pragma once
// A plan on threads: the shards' kernels, compiled into this process, over parts of the same tensors.

#include "frontend/project/plan.h"
#include "generators/run/call_data.h"
#include "schedules/machine/machine.h"

namespace halogen {

/// The outputs of the kernel by the plan, so many shards at once as there are threads. Equal to the whole kernel's, bit for bit, where
/// no partial results are combined and its loops run in the same order; with partial results the same on every run.
/// Errors: Failure: what splits cannot be (`steps_of`, `fitting`), what the kernels raise, index (data out of range).
Tensors run_plan(const Kernel&, const CallData&, const ShardPlan&, const Leg&, int threads);

}  // namespace halogen
