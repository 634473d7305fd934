#pragma once
// What each kind of step becomes: directives, or a reason why Halide cannot have it.
#include "schedules/history/directives.h"
#include "schedules/state/model.h"

#include <functional>
#include <vector>

namespace halogen {

/// What a step becomes in Halide, given to `Directives`; the model tells what the steps before it left. Errors: Failure(schedule).
using Direct = void (*)(Directives&, const Step&, const StateModel&);
Direct directive_of(StepKind);

/// Applies steps in order, each to the model first, then to `target`; `after` is called behind each outermost step.
/// Errors: Failure(schedule) naming the step.
void direct_steps(const std::vector<Step>& steps, StateModel& model, Directives& target,
                  const std::function<void(const Step&)>& after = {});

/// The model alone.
void direct_steps(const std::vector<Step>& steps, StateModel& model);

}  // namespace halogen
