#pragma once
// The library's own account of itself: what each operator takes, gives, needs and refuses, on symbols.

#include "frontend/shapes/library.h"

#include <string>

namespace halogen::shapes {

/// docs/operators.md: an index by family; for each operator its signature, equation, and an example on symbols with shapes,
/// strides and conditions. The examples are found by trying ranks until a call is legal.
std::string document(Library&);

/// A legal call on symbols; nothing when none was found. Example: mm(input=[n0, n1], mat2=[m0, m1]).
std::optional<Arguments> example_call(Library&, const Entry&);

}  // namespace halogen::shapes
