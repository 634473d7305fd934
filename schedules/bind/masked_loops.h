#pragma once
// Loops that go on where their masks have ended.

#include "Halide.h"

namespace halogen {

/// Lets the loops of a pipeline end with the last vector of which a lane is stored. A strip of a fixed width is passed over whole where the
/// rows end within it, by stores of no lanes: each takes some twenty cycles on Zen 4. (Sums of 256 rows of 256, strips of 2,048: 13 us
/// and 3.6.)
void end_loops_with_masks(Halide::Pipeline&);
/// The statement, with such loops.
Halide::Internal::Stmt with_loops_ended(const Halide::Internal::Stmt&);

}  // namespace halogen
