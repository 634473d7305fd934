#pragma once
// Storage for vectors of which one lane counts.

#include "Halide.h"

namespace halogen {

/// Adds a pass to `pipeline`: a tensor of one element that is read or written by vectors, all lanes but one left out, gets the
/// storage of a whole vector. Halide's instructions for such vectors want it aligned, and it aligns what has two elements or more:
/// a tensor on the stack of which `Y[0, 2]` alone is read ended the program.
void store_lone_elements(Halide::Pipeline& pipeline);

}  // namespace halogen
