#pragma once
// The shapes of a program of operators as a C++ header of its own: sizes in, shapes out, or the condition that fails.

#include "frontend/shapes/program.h"

#include <string>

namespace halogen {

/// For namespace `name`_shapes: `Sizes`, the shapes of the last step's results for given sizes, and the first condition that
/// sizes do not meet. Everything is constexpr, and nothing but the standard library is included.
///
///     conv2d_shapes::shapes({.h = 32, .n = 8, .w = 32})->results[0].extents[2]
std::string emit_shapes(const shapes::ShapeProgram&, const std::string& name);

}  // namespace halogen
