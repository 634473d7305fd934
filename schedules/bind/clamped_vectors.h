#pragma once
// Vectors that are read at clamped places, as at the edge of padding.

#include "Halide.h"

namespace halogen {

/// Lets a pipeline read vectors at places that are held back from the ends of a row by loads under a mask. Halide knows only
/// places that lie side by side and places that lie anywhere: of `X[max(min(x - 1, N - 1), 0)]` it reads every lane by itself.
/// Elements of less than 32 bits have masks on targets with those of AVX-512 alone.
void read_clamped_vectors(Halide::Pipeline&, const Halide::Target&);

}  // namespace halogen
