#pragma once
// Padding that a reduction may leave out: zeros that are summed, the lowest values of which the largest is taken.

#include "frontend/notation/program.h"

namespace halogen {

/// `tensor` is read by the equation: in its value, its predicates or a bracket.
bool reads(const Equation&, const Tensor& tensor);

/// The equation reads `tensor` once, as a factor of a sum or alone as what a largest or least is taken of, and what lies
/// beyond its edges is what that reduction begins with: of `Y[i] += X[i + k]*W[k]`, zeros of X.
bool adds_nothing_outside(const Equation&, const Tensor& tensor);

}  // namespace halogen
