#pragma once
// The first pass: every name that a size goes by.

#include "frontend/solve/sizes.h"

namespace halogen {

/// The sizes of a kernel, each a class of its own. Declared sizes and parameters stand for a class before undeclared dims of
/// inputs, and those before all others: of `N` and `X.0`, joined later, `N` is the name.
Sizes name_sizes(const KernelModel&);

}  // namespace halogen
