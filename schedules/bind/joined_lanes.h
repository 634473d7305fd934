#pragma once
// Lanes of a vector of greatest or least values that are joined to one.

#include "Halide.h"

namespace halogen {

/// Makes one vector reduction of each `join_keys` call (frontend/lower/number.h) of a pipeline. As a tree of scalars LLVM packs the
/// lanes of several rows with one another. (The largest of 1000 rows of 100, on Zen 4: 10.0 us as a tree, and 8.3 so.)
void join_lanes(Halide::Pipeline&);

}  // namespace halogen
