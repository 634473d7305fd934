#pragma once
// Values computed place by place: the text that elementwise operators, losses and masks share.

#include "frontend/shapes/rules.h"

#include <string>

namespace halogen::shapes {

/// The shape all tensor arguments broadcast to, from the text that computes `value`, an expression of their names, at each
/// place. Example: "input + alpha*other" for rank 2 is
/// `kernel k(alpha: f32, input: f32[N0, N1], other: f32[N0, N1]) -> Y: f32 { Y[i0, i1] = input[i0, i1] + … }`.
Shape pointwise(Call&, const std::string& value);
/// The same for tensors of one shape, which is given.
Shape pointwise(Call&, const std::string& value, const Shape& shape);
/// Broadcasting alone, for values that the notation cannot say.
Results broadcast_only(Call&);

}  // namespace halogen::shapes
