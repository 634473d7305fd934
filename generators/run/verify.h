#pragma once
// Compiled results against the interpreter's.

#include "frontend/interpret/interpret.h"
#include "frontend/notation/program.h"
#include "generators/run/call_data.h"

namespace halogen {

struct Verification {
    double largest_error = 0;  // of any output element
    double largest_share = 0;  // of the error that rounding explains at that element
};

/// Integers must be equal, floats differ by no more than rounding explains (`interpret_with_bounds`); where data steers
/// the result (a comparison, a cast to an integer), as much as the uncertain operand allows.
/// Errors: Failure(index) names the first element that is wrong; what the interpreter raises.
Verification verify(const Kernel& kernel, const CallData& data, const Tensors& outputs);

}  // namespace halogen
