#pragma once
// The same number of elements under other extents.

#include "frontend/shapes/rules.h"

namespace halogen::shapes {

/// `shape` with its -1, if there is one, replaced so that there are `count` elements. Example: [2, -1] for 24 is [2, 12].
Shape inferred(Call&, Shape shape, const Formula& count);

/// The strides of `input` seen as `shape`, without moving an element. Errors: Refusal(stride_incompatible).
Shape view_strides(Call&, const Operand& input, const Shape& shape);
/// Likewise, but dense where no view is known to do.
std::optional<Shape> reshaped_strides(Call&, const Operand& input, const Shape& shape);

}  // namespace halogen::shapes
