#pragma once
// Views: tensors that are another tensor seen through an address map, and maps turned round.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A tensor defined by single plain reads, composed down to the tensor that holds its elements: element (i, j, …) lies at
/// offset + sum of strides[d] * i_d of `base`, in elements; strides may be negative or 0.
struct TensorView {
    std::string tensor;
    std::string base;
    std::vector<Formula> extents;
    bool zero_copy = false;
    std::string reason;  // why a copy is needed, where it is
    Formula offset;      // of a zero-copy view
    std::vector<Formula> strides;
};

/// All views of a kernel, those that are outputs too, in the order of their equations. Tensors are dense and row-major.
std::vector<TensorView> views(const Kernel&, const Solution&);

/// "V = as_strided(X, shape [OH, R], strides [2, 1], offset 1)", or "V copies X: …".
std::string print(const TensorView&);

}  // namespace halogen
