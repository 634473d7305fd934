#pragma once
// Arithmetic of wide integers on small numbers, of which a byte or a short is stored, in shorts.

#include "Halide.h"

namespace halogen {

/// `u8(min(abs(i32(X[x + 2]) - i32(X[x])) + 4, 255))` of bytes in 16 bits: twice the lanes of 32. What is cast to at most 16 bits is computed in
/// i16, or else u16, if by the ends of its operands' types no step of it, down to loads, leaves that type. Vectors alone. (Halide narrows
/// single operations, and widens again between them. Sobel's sum of 1000x1010 bytes on Zen 4: 265 us, and 133 so.) No errors.
Halide::Internal::Stmt with_narrow_integers(const Halide::Internal::Stmt&);

/// The same as a pass of the pipeline.
void narrow_integers(Halide::Pipeline&);

}  // namespace halogen
