#pragma once
// The functions of a generated header that check a call: sizes, guards, extents, and what the data broke.

#include "generators/compile/header_input.h"

#include <string>
#include <vector>

namespace halogen {

/// `struct Sizes`, `read_sizes`, `check_inputs`, `output_extents`, `guards`, and `explain` where there are data checks.
/// `tensors`: inputs, then outputs.
std::string emit_checks(const HeaderInput&, const std::vector<const Tensor*>& tensors);

}  // namespace halogen
