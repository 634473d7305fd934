#pragma once
// Formulas, conditions and names as C++ text.

#include "frontend/formula/formula.h"
#include "frontend/solve/solution.h"

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

/// The condition under which a guard is broken, given its sides as C++: `!less_equal(left, right) && !equal(N, 0)`.
std::string cpp_broken(const Guard&, const std::string& left, const std::string& right, const SymbolText&);

}  // namespace halogen
