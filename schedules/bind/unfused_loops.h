#pragma once
// Loops over two dims in one, taken apart where they run in order.

#include "Halide.h"

namespace halogen {

/// Makes a loop `i` whose body asks for `(b + i)/n` and `(b + i) % n` two loops, over quotients and over remainders. Dims are fused so
/// that tasks share their product evenly; within a task two divisions stood before each row. (Rows of 8 elements, 8,000, copied in another
/// order on Zen 4: 67 us and 22.)
void unfuse_loops(Halide::Pipeline&);
/// The statement, with such loops.
Halide::Internal::Stmt with_unfused_loops(const Halide::Internal::Stmt&);

}  // namespace halogen
