#pragma once
// What one of Halide's autoschedulers decides for a kernel, as a history.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"

#include <string>

namespace halogen {

/// The plugins of the wheel that schedule for CPUs: "adams2019", "li2018", "mullapudi2016".
const std::vector<std::string>& autoscheduler_names();

/// Runs an autoscheduler on the kernel for the sizes `numbers`, reads back what it did and tells it as steps, each from `import`. Its
/// tails, which round up or shift inwards, become guarded ones, so that the history is right at every size; storage on the
/// stack and unrolled loops that lose their constant extents by that are left out. The C++ text of the schedule it wrote stands behind the steps as comments.
/// An autoscheduler may end the process: call it in one of its own. `solution` has every size open.
/// Errors: usage: no such autoscheduler; schedule: what Halide or the autoscheduler refuses.
Result<History> autoscheduled(const Kernel&, const Solution&, const Solution& numbers, const Leg&,
                              const std::string& name, int threads);

}  // namespace halogen
