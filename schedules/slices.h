#pragma once
// Steps that make parts of a loop: which they are, and what they need of the equations.

#include "frontend/lower/lower.h"
#include "frontend/program.h"
#include "frontend/solution.h"
#include "schedules/history.h"

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
