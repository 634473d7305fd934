#pragma once
// Steps as Halide scheduling directives.

#include "frontend/lower/lower.h"
#include "schedules/bind/read_state.h"
#include "schedules/history/history.h"

#include <vector>

namespace halogen {

/// Applies `steps` in order to the Funcs of a lowered kernel; partial results of `rfactor` join its Funcs.
/// Stages that no step touches are marked as left unscheduled on purpose. After every step Halide's own state of the Func is
/// compared with what the steps alone say it must be. Gives the state in the end.
/// Errors: Failure(schedule) naming the step, also for what Halide itself refuses; std::logic_error naming the step after which
/// the states differ, which is a defect of ours.
ScheduleState apply_steps(Lowered&, StateReader&, const std::vector<Step>& steps);

}  // namespace halogen
