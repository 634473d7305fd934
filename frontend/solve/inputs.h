#pragma once
// The pass that leaves open what buffers and callers give: dims of inputs, parameters.

#include "frontend/solve/sizes.h"

namespace halogen {

/// Bare dims of inputs and then parameters that have no number become symbols. A dim declared as a formula of one size that
/// nothing else gives becomes a symbol of its own, equal to that formula: `X: f32[2*N]` makes 2*N == X.0.
Sizes&& open_inputs(Sizes&&);

}  // namespace halogen
