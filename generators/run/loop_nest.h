#pragma once
// Halide's own picture of a schedule.

#include "Halide.h"

#include <string>

namespace halogen {

/// What Pipeline::print_loop_nest prints, a loop that holds one thing alone on a line with it: `for i: for j: Y(...) = ...`. (It goes
/// to standard error and nowhere else, and is caught there.) Where it ends with an internal error, a line that says so.
std::string loop_nest(Halide::Pipeline);

}  // namespace halogen
