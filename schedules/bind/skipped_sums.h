#pragma once
// Sums of tiles that nobody asks for.

#include "Halide.h"

namespace halogen {

/// Adds a pass to `pipeline`: where all that reads a tile of sums chooses other values, `select(j <= i, Z[i, j], 0)` above the
/// diagonal, its sums are not added up. Of a triangular product, which is computed by tiles of elements, that is half.
/// (Halide leaves out a Func only where one condition holds for all of its elements.)
void skip_unused_sums(Halide::Pipeline& pipeline);
/// What the pass makes of lowered code.
Halide::Internal::Stmt without_unused_sums(const Halide::Internal::Stmt&);

}  // namespace halogen
