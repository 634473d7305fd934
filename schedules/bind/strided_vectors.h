#pragma once
// Vectors of every second, third or fourth element of a tensor.

#include "Halide.h"

#include <cstdint>

namespace halogen {

/// Lets a pipeline read every second, third or fourth element of a tensor by whole vectors, chosen from afterwards. Of an input Halide
/// reads 31 elements where 16 of `X[2*x]` are wanted, and LLVM takes such a vector apart; of what the pipeline made, three such vectors
/// side by side, element by element. Here the last vector ends with the last element that is wanted, so that nothing behind is read.
void read_strided_vectors(Halide::Pipeline&);
/// Vectors of so many lanes, `step` elements apart, are read so.
bool reads_every_nth(std::int64_t step, int lanes);
/// A mask for such lanes, made of ramps as far apart and of what is the same in all lanes, that says of the elements between them too whether they may be read: whole vectors are read under it. The elements left out are `beyond`, all alike.
Halide::Expr mask_of_places(const Halide::Expr& mask, const Halide::Expr& beyond);
/// The statement, read so.
Halide::Internal::Stmt with_strided_vectors(const Halide::Internal::Stmt&);

}  // namespace halogen
