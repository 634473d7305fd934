#pragma once
// A solution as a person would like to read it.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <string>

namespace halogen {

/// Sizes, tensors, per equation its index ranges and the strides of each access, and the guards; aligned in columns.
std::string report(const Kernel&, const Solution&);

/// "n in [0, N)", "t in [1, 2*R + 1) reduced".
std::string print_range(const std::string& index, const IndexRange&);

/// "offset -P, strides n: C*W, x: C*T"; "one element" without strides, "by data" where there is no such form.
std::string print_address(const AccessForm&);

}  // namespace halogen
