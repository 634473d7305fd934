#pragma once
// Dims combined: the text that reductions, norms and losses share.

#include "frontend/shapes/rules.h"

#include <vector>

namespace halogen::shapes {

std::vector<int> all_dims(int rank);

/// `input` with `dims` combined as the row's equation says (`max= input`; a row without one sums).
Shape reduced(Call&, const std::vector<int>& dims, bool keep);

/// The condition that none of `dims` is empty.
void require_elements(Call&, const std::vector<int>& dims);

}  // namespace halogen::shapes
