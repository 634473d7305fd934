#pragma once
// The functions of the notation that no machine has an instruction for: short expressions of our own, which vectorise, right for NaN,
// infinities and numbers far out. The f64 forms of those that are for f32 alone are the C library's.

#include "Halide.h"

namespace halogen {

/// e^x of f32 or f64; at most 1.5 units in the last place off, and 0 where the result would be smaller than 2^-126 or 2^-1022.
Halide::Expr exp_of(const Halide::Expr& x);
/// The natural logarithm of f32 or f64; at most 1.5 units in the last place off. -inf of 0, NaN of what is negative.
Halide::Expr log_of(const Halide::Expr& x);
/// The hyperbolic tangent; at most 2 units in the last place off of f32, 2.5 of f64.
Halide::Expr tanh_of(const Halide::Expr& x);
/// The sine and the cosine of radians, of any size; at most 2 units in the last place off.
Halide::Expr sin_f32(const Halide::Expr& x);
Halide::Expr cos_f32(const Halide::Expr& x);
/// x^y, right for all values of both, as C's pow has it, which f64 is taken by unless y is the number 2, 3, 4 or 0.5; at most 1 unit in
/// the last place off, 2 for those numbers.
Halide::Expr pow_of(const Halide::Expr& x, const Halide::Expr& y);
/// The error function; at most 6.5 units in the last place off.
Halide::Expr erf_f32(const Halide::Expr& x);

}  // namespace halogen
