#pragma once
// Vectors that are read from a fixed place backwards.

#include "Halide.h"

namespace halogen {

/// Adds a pass to `pipeline`: where fewer elements lie before a place that is a number than a vector has lanes, of `X[3 - n]` for n in
/// 0:4, each lane is read by itself. Halide turns a forward vector around, whose first place would be a number below 0, and ends with
/// an internal error though a mask leaves such lanes out.
void read_backwards_by_lanes(Halide::Pipeline& pipeline);

}  // namespace halogen
