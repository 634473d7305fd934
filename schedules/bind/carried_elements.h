#pragma once
// Elements that one iteration writes and the next one reads.

#include "Halide.h"

namespace halogen {

/// Lets a pipeline keep in a register what an iteration of a loop writes and the next one reads, as in `Y[i, c] = max(Y[i - 1, c], X[i, c])`.
/// By itself LLVM does so of elements side by side alone; others go through memory, which takes longer than what is done with them.
/// (Three channels on Zen 4, ns a step: running maxima 3.3 and 0.9, running sums 3.3 and 0.8, smoothed 3.6 and 1.9.)
void carry_elements(Halide::Pipeline&);
/// The statement, with what it carries.
Halide::Internal::Stmt with_carried_elements(const Halide::Internal::Stmt&);

}  // namespace halogen
