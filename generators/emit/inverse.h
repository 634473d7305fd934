#pragma once
// Sizes backwards as C++ text: the least input for a wanted output, and window sizes and parameters from shapes.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <string>

namespace halogen {

/// Functions over the struct `Sizes` of an emitted header, for every output size that is a formula of others:
/// `least_H(s, OH)`, the least H that gives OH, for dims that are read at compound places; `only_R(s, OH)`, the one R (a
/// window, a stride, a padding) with which all outputs that depend on it are as wanted. Both give nothing where there is
/// no such number, and look at no field they solve for. They call the functions of the sizes they start from, by name.
std::string emit_inverse(const Kernel&, const Solution&);

}  // namespace halogen
