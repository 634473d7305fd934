#pragma once
// The functions of the notation that no machine has an instruction for, in f32: short expressions of our own, which vectorise,
// right for NaN, infinities and numbers far out. Their f64 forms are those of the C library.

#include "Halide.h"

namespace halogen {

/// e^x; at most 1.5 units in the last place off, and 0 where the result would be smaller than 2^-126.
Halide::Expr exp_f32(const Halide::Expr& x);
/// The natural logarithm; at most 1.5 units in the last place off. -inf of 0, NaN of what is negative.
Halide::Expr log_f32(const Halide::Expr& x);
/// The hyperbolic tangent; at most 2 units in the last place off.
Halide::Expr tanh_f32(const Halide::Expr& x);
/// The sine and the cosine of radians, of any size; at most 2 units in the last place off.
Halide::Expr sin_f32(const Halide::Expr& x);
Halide::Expr cos_f32(const Halide::Expr& x);
/// x^y, right for all values of both, as C's pow has it; at most 1 unit in the last place off, 2 where y is the number 2, 3, 4 or 0.5.
Halide::Expr pow_f32(const Halide::Expr& x, const Halide::Expr& y);
/// The error function; at most 6.5 units in the last place off.
Halide::Expr erf_f32(const Halide::Expr& x);

}  // namespace halogen
