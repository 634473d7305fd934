#pragma once
// How much arithmetic an equation asks for.

#include "frontend/notation/program.h"

namespace halogen {

/// Operations of one point of an equation: each arithmetic operator and function on data is one, the reduction one more.
int operations_per_point(const Equation&);

}  // namespace halogen
