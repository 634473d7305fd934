#pragma once
// Steps that make parts of a loop: which they are, and what they need of the equations.

#include "frontend/notation/program.h"
#include "frontend/plan/emission.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <optional>
#include <vector>

namespace halogen {

/// slice_head, slice_tail, and split with a separate tail.
bool slices(const Step&);
/// The slice that a step is; nothing for others.
std::optional<Slice> slice_of(const Step&);

/// Every slice cuts a loop of an equation that no step before took apart, and keeps the order of what depends on it.
/// Errors: Failure(schedule), naming the step.
void check_slices(const Kernel&, const Solution&, const std::vector<Step>&, const Emission&);

}  // namespace halogen
