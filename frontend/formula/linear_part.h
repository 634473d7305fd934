#pragma once
// A formula as a factor times one symbol, and the rest.

#include "frontend/formula/formula.h"

#include <optional>
#include <string>

namespace halogen {

/// factor * x + rest, neither of which holds x.
struct LinearPart {
    Formula factor, rest;
};

/// 2*N*x + x - 3 is (2*N + 1)*x - 3; the factor is 0 where x does not stand in `f`. Nothing where `f` is not linear in x: x
/// within an operation, or in a product with itself.
std::optional<LinearPart> linear_part(const Formula& f, const std::string& x);

}  // namespace halogen
