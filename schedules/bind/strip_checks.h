#pragma once
// Compiled kernels without the checks of their arguments that the generated wrapper has made already.

#include "Halide.h"

namespace halogen {

/// Leaves out what Halide asserts of each buffer on entry: type, rank, extents, mins, null pointers, devices, and, where
/// `in_bounds` is proved for all sizes that meet the guards, that the buffer holds what is read and written; a result without elements
/// holds nothing, whatever is asked. Everything a caller cannot decide stays: memory that runs out, and the schedule's own conditions on storage.
void strip_checks(Halide::Pipeline&, bool in_bounds);

}  // namespace halogen
