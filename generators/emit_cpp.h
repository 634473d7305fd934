#pragma once
// Formulas, conditions and names as C++ text.

#include "frontend/formula.h"
#include "frontend/program.h"
#include "frontend/solution.h"

#include <functional>
#include <string>

namespace halogen {

/// A C++ identifier for a name of the notation: "X.0" becomes "X_0", a keyword gets a trailing underscore.
std::string cpp_identifier(const std::string& name);

/// A C++ string literal.
std::string cpp_literal(const std::string& text);

/// How a formula reaches the value of a symbol: `s.H`.
using SymbolText = std::function<std::string(const std::string& symbol)>;

/// A formula as a C++ expression of type halogen::detail::Int (runtime/checked.h), whose arithmetic is checked.
std::string cpp(const Formula&, const SymbolText&);

/// The function of two Ints that decides a guard: `less_equal`.
std::string cpp(Guard::Relation);

/// The solution as a C++ header: a struct of the open sizes, a function for every solved size and for every dim of every
/// tensor, and one that names the first guard that does not hold.
std::string emit_solution(const Kernel&, const Solution&);

/// The part of it that stands in the header of a compiled kernel `name`, as namespace `name`_sizes: sizes forwards and
/// backwards and conditions, over the integers of runtime/checked.h.
std::string emit_size_functions(const Kernel&, const Solution&, const std::string& name);

}  // namespace halogen
