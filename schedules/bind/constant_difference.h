#pragma once
// How far two expressions are apart.

#include "Halide.h"

#include <cstdint>
#include <optional>

namespace halogen {

/// a - b, where that is a number whatever the variables are: 3 of `x*16 + (n + 2)` and `(n - 1) + x*16`. Halide's simplifier leaves
/// some such differences as they are. What `names` has stands for its value.
std::optional<std::int64_t> constant_difference(const Halide::Expr& a, const Halide::Expr& b,
                                                const Halide::Internal::Scope<Halide::Expr>& names = {});

}  // namespace halogen
