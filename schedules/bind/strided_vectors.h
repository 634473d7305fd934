#pragma once
// Vectors of every second, third or fourth element of an input.

#include "Halide.h"

namespace halogen {

/// Lets a pipeline read every second, third or fourth element of an input by whole vectors, chosen from afterwards. Halide does so
/// with buffers of its own, which have room behind their end; of an input it reads 31 elements where 16 of `X[2*x]` are wanted, and
/// LLVM takes such a vector apart. Here the last vector ends with the last element that is wanted, so that nothing behind is read.
void read_strided_vectors(Halide::Pipeline&);
/// The statement, read so.
Halide::Internal::Stmt with_strided_vectors(const Halide::Internal::Stmt&);

}  // namespace halogen
