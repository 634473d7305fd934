#pragma once
// Which of its computations a Func takes in which branch.

#include "Halide.h"

namespace halogen {

/// Decides the choices between twins in every branch of a Func's schedule by the conditions on the way to it: where
/// `specialize when W >= 16` was taken, `select(W >= 16, a, b)` is `a`; behind it, it is `b`. Halide drops what is not taken only
/// where it can prove as much, and calls the place of the other computation illegal elsewhere.
void take_twins(Halide::Func& func);

}  // namespace halogen
