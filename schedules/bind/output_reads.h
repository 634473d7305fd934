#pragma once
// Outputs that a later equation reads.

#include "Halide.h"

#include <vector>

namespace halogen {

/// Adds a pass to `pipeline` that reads `outputs` as the caller's memory, which is aligned to its elements alone. Halide 21 takes
/// what a pipeline itself reads of an output for memory that it made, and reads it by instructions for aligned vectors.
void read_outputs_unaligned(Halide::Pipeline& pipeline, const std::vector<Halide::Func>& outputs);

}  // namespace halogen
