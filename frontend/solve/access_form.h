#pragma once
// Element addresses: offset + sum of stride * index, views composed into their readers.

#include "frontend/solve/model.h"
#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// The accesses of all equations. `s` holds sizes and extents. Tensors are dense and row-major; a view that is no output
/// takes no storage, so its readers' accesses are given as accesses to what it views.
std::vector<AccessForm> access_forms(const KernelModel&, const Solution& s);

/// One access as offset and strides over the indices named; `affine` is false with data, `/`, `%`, min or max in brackets.
AccessForm access_form(const std::vector<std::optional<Formula>>& places, const std::vector<Formula>& extents,
                       const std::vector<std::string>& indices);

}  // namespace halogen
