#pragma once
// A step as text, and the errors that quote it.

#include "schedules/history/step.h"

#include <string>

namespace halogen {

/// A step on one line, without the steps below it: `3: C.0 split j -> jo, ji by 32 tail guard`.
std::string print(const Step&);
/// The step, or the one that it is a part of, as it is written.
std::string written(const Step&);

/// Refuses a step: "step `C.0 vectorize j`: there is no loop `j` in `C.0`". Errors: always Failure(schedule).
[[noreturn]] void refuse_step(const Step&, const std::string& why,
                              const std::string& fix = "remove the step or name an existing loop");

}  // namespace halogen
