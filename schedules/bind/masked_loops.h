#pragma once
// Loops that begin before and go on after what their conditions allow.

#include "Halide.h"

namespace halogen {

/// Lets the loops of a pipeline go from the first to the last iteration in which a lane is stored, or in which a sum takes in more than zeros:
/// of `S[p] = S[p] + select(j <= i, x, 0)` those in which the condition holds in some lane. A strip of a fixed width is passed over whole where
/// the rows end within it, by stores of no lanes: each takes some twenty cycles on Zen 4. (Sums of 256 rows of 256, strips of 2,048: 13 us
/// and 3.6. A triangular matrix of 1000x1000 times a vector on Emerald Rapids: 128 us and 66; a band of 11 of it 177 and 12; such a band
/// times 1000x64 1,937 and 66.)
void end_loops_with_masks(Halide::Pipeline&);
/// The statement, with such loops.
Halide::Internal::Stmt with_loops_ended(const Halide::Internal::Stmt&);

}  // namespace halogen
