#pragma once
// Steps on the equations: what each needs of its kernel.

#include "frontend/lower/lower.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <vector>

namespace halogen {

/// What lowering takes for granted of the steps on equations. Errors: Failure(schedule), naming the step.
void check_before_lowering(const Kernel&, const Solution&, const std::vector<Step>&, const Emission&);

/// A step on the equations must have met one: a name that nothing answers to would change nothing, in silence.
/// Errors: Failure(schedule), naming the step.
void check_equation_steps(const Kernel&, const std::vector<Step>&, Lowered&);

}  // namespace halogen
