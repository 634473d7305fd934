#pragma once
// Solutions as C++ text.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <string>

namespace halogen {

/// The solution as a C++ header: a struct of the open sizes, a function for every solved size and for every dim of every
/// tensor, and one that names the first guard that does not hold.
std::string emit_solution(const Kernel&, const Solution&);

/// The part of it that stands in the header of a compiled kernel `name`, as namespace `name`_sizes: sizes forwards and
/// backwards and conditions, over the integers of runtime/checked.h.
std::string emit_size_functions(const Kernel&, const Solution&, const std::string& name);

/// The integers of runtime/checked.h as namespace detail, for a header that stands alone.
std::string checked_integers();

}  // namespace halogen
