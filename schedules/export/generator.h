#pragma once
// A kernel with its history as a plain Halide generator in C++.

#include "frontend/base/error.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <string>

namespace halogen {

/// One C++ file that needs Halide.h and nothing of Halogen: a class derived from Halide::Generator, registered under the
/// kernel's name, with the equations as they are lowered for this history, then one Halide call a step.
/// Buffers: notation dim d of rank r is Halide dim r-1-d. Sizes are read from the buffers; the file lists the guards.
/// Errors: schedule (a step that cannot be applied, named).
Result<std::string> export_generator(const Kernel&, const Solution&, const History&);

}  // namespace halogen
