#pragma once
// Integer expressions of the notation as formulas. Sizes, `size` parameters and indices all become symbols by their
// names, which never clash within one equation.

#include "frontend/formula/formula.h"
#include "frontend/formula/hull.h"
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

/// A condition under which an expression has the value of its formula: `formula` is at least 1 at every point.
/// `i/T` needs the divisor `T`; `i32(i*i)` needs 2147483648 - i*i.
struct PlaceCondition {
    enum class Kind { divisor, cast };
    Kind kind = Kind::divisor;
    Formula formula;
    std::string text;  // the divisor or the cast as written
};

/// The formula of an integer expression: numbers, sizes, indices, `+ - * / %`, min, max, abs and integer casts.
/// Nothing for all else: data (an access, a scalar), floats, operations in a narrow type (`u8(u8(i) + 1)`).
/// Conditions that no constant decides are added to `conditions`.
/// Errors: Failure(contradictory) for a constant divisor below 1, Failure(overflow).
std::optional<Formula> place_formula(const Expr&, std::vector<PlaceCondition>& conditions, Symbols&);

/// True when `place_formula` gives a formula. A place without one is looked at when the kernel runs.
bool has_formula(const Expr&);

/// Likewise with what `value` gives put in for names; its conditions are not told.
std::optional<Formula> place_formula(const Expr&, SymbolLookup value);
/// Likewise with solved sizes put in: only indices, and the sizes that the solution leaves open, stay symbols.
std::optional<Formula> solved_formula(const Expr&, const Solution&);

/// The first and last value of each index of an equation.
Box box_of(const Solution&, int equation);

/// The name of the index when the expression is one index alone.
std::optional<std::string> bare_index(const Expr&);

}  // namespace halogen
