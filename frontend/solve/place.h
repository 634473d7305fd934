#pragma once
// Integer expressions of the notation as formulas. Sizes, `size` parameters and indices all become symbols by their
// names, which never clash within one equation.

#include "frontend/formula/formula.h"
#include "frontend/notation/expr.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace halogen {

struct Solution;

/// Formulas of names, each made once.
class Symbols {
public:
    const Formula& operator()(const std::string& name);

private:
    std::unordered_map<std::string, Formula> made_;
};

/// The formula of an integer expression, or nothing when it holds data (an access, a scalar) or is no integer
/// expression. Divisors of `/` and `%` that are no positive constant are added to `divisors`: each must be >= 1.
/// Errors: Failure(contradictory) for a constant divisor below 1, Failure(overflow).
std::optional<Formula> place_formula(const Expr&, std::vector<Formula>& divisors, Symbols&);

/// Likewise with what `value` gives put in for names; its divisors are not told.
std::optional<Formula> place_formula(const Expr&, SymbolLookup value);
/// Likewise with solved sizes put in: only indices, and the sizes that the solution leaves open, stay symbols.
std::optional<Formula> solved_formula(const Expr&, const Solution&);

/// The name of the index when the expression is one index alone.
std::optional<std::string> bare_index(const Expr&);

}  // namespace halogen
