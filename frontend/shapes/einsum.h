#pragma once
// Subscript texts: `ij,jk->ik`, `...ij,...jk`, `ii->i`.

#include "frontend/shapes/rules.h"

#include <string>
#include <vector>

namespace halogen::shapes {

/// The result of a sum of products over the labels that do not stand behind the arrow. A label that two operands share may
/// have extent 1 in one of them; one that stands twice in an operand has one extent. Errors: Refusal(equation, size_mismatch).
Shape einsum(Call&, const std::string& equation, const std::vector<Shape>& operands);

}  // namespace halogen::shapes
