#pragma once
// Element addresses: offset + sum of stride * index, views composed into their readers.

#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// The accesses of all equations, left side first, then in reading order, by the kernel's solution. Tensors are dense and
/// row-major; a view that is no output takes no storage, so its readers' accesses are given as accesses to what it views.
/// Errors: Failure(overflow) where a stride leaves 64 bits.
std::vector<AccessForm> access_forms(const Kernel&, const Solution&);

/// One access as offset and strides over the indices named; `affine` is false with data, `/`, `%`, min or max in brackets.
AccessForm access_form(const std::vector<std::optional<Formula>>& places, const std::vector<Formula>& extents,
                       const std::vector<std::string>& indices);

}  // namespace halogen
