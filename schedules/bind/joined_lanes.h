#pragma once
// Lanes of a vector of sums, of products, of greatest or least values that are joined to one.

#include "Halide.h"

namespace halogen {

/// Sums and products of lanes are made by halves: where floats are strict LLVM takes one lane after the other, each waiting for the
/// last. (Softmax of 1536 rows of 128 on Zen 4: 101 us, and 92.7 so; on Emerald Rapids 111 and 103.)
///
/// Makes one vector reduction of each `join_keys` call (frontend/lower/number.h) of a pipeline. As a tree of scalars LLVM packs the
/// lanes of several rows with one another. (The largest of 1000 rows of 100, on Zen 4: 10.0 us as a tree, and 8.3 so.)
void join_lanes(Halide::Pipeline&);

}  // namespace halogen
