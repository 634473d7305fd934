#pragma once
// Numbers that are computed with and that LLVM would draw wrong conclusions from.

#include "Halide.h"

#include <vector>

namespace halogen {

/// Lets a pipeline compute with its literal infinities: those of a padding by the lowest value, of a `min=` over nothing. LLVM takes
/// it for granted that the results of fast arithmetic are finite, and puts any number for one that it knows to be infinite; so it
/// is not shown which literals are. In code that casts to f16, where constants from 65520 on are infinite, these are hidden too.
///
/// Nor is it shown that a factor is made of a condition: of `f32(m)*x` it makes `select(m, x, 0)`, which is 0 where x is infinite and m
/// false. (As a product without fast arithmetic it would be no part of a fused one: a matrix of 300x300 conditions times one of f32 on
/// Zen 4 0.94 ms, and 0.60 so.) Or that a factor is more or less by 1 than another number: of `(a - 1)*x` it makes `a*x - x`, which is
/// NaN where x is infinite.
void hide_numbers(Halide::Pipeline&, const std::vector<Halide::Func>& outputs);

}  // namespace halogen
