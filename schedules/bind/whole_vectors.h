#pragma once
// Vector code that asks the call how its vectors lie.

#include "Halide.h"

namespace halogen {

/// Adds a pass to `pipeline` that writes loops over vectors once more for the case that the vectors are whole: `Y[ramp(a, s, 8)]`
/// with `s` a stride of the caller's buffer is also written for `s == 1`, as one store; the mask or the clamped place of a
/// loop that Halide was told not to partition, for lanes that all exist. One schedule then serves buffers in any order and
/// extents with a rest, and the branch stands around the innermost loops instead of around the whole nest.
void write_whole_vectors(Halide::Pipeline& pipeline);

}  // namespace halogen
