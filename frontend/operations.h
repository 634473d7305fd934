#pragma once
// How much arithmetic an equation asks for.

#include "frontend/program.h"

namespace halogen {

/// True when `e` reads a tensor or a scalar: the rest is arithmetic on sizes and indices.
bool holds_values(const Expr& e);

/// Operations of one point of an equation: each arithmetic operator and function on data is one, the reduction one more.
int operations_per_point(const Equation&);

}  // namespace halogen
