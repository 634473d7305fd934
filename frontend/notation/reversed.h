#pragma once
// The same kernel for buffers that lie the other way round.

#include "frontend/notation/program.h"

namespace halogen {

/// `kernel` with the dims of every tensor, and the places of every access, in reverse order. Column-major buffers of
/// `kernel` (dim 0 contiguous) are row-major buffers of the result, dim d for dim rank - 1 - d; the values are the same,
/// but for the order of sums. `reversed(reversed(kernel)) == kernel`.
Kernel reversed(const Kernel&);

/// False where reversing could change more than the order of sums: an equation that accumulates into what it reads.
bool reversible(const Kernel&);

}  // namespace halogen
