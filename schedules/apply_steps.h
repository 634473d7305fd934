#pragma once
// Steps as Halide scheduling directives, one function for each kind.

#include "frontend/lower/lower.h"
#include "schedules/history.h"

#include <vector>

namespace halogen {

/// Applies `steps` in order to the Funcs of a lowered kernel; partial results of `rfactor` join its Funcs.
/// Stages that no step touches are marked as left unscheduled on purpose.
/// Errors: Failure(schedule) naming the step, also for what Halide itself refuses.
void apply_steps(Lowered&, const std::vector<Step>& steps);

}  // namespace halogen
