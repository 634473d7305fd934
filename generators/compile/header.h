#pragma once
// The typed C++ header of a compiled kernel: the checks of its solution, and templates that take the caller's tensors.

#include "generators/compile/header_input.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// The text of the header.
std::string emit_header(const HeaderInput&);

/// Inputs that an output may overwrite: the output is one equation without reduction, which reads the input only at the
/// very place it writes.
std::vector<std::pair<int, int>> in_place_pairs(const Kernel&);

}  // namespace halogen
