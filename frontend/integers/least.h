#pragma once
// Linear optimization over the integers: the least value of a form over the solutions of linear rows.

#include "frontend/base/budget.h"
#include "frontend/integers/rows.h"

#include <optional>

namespace halogen {

/// What a form takes at least.
struct Least {
    enum class Kind { no_solution, unbounded, attained } kind = Kind::no_solution;
    Rational value;
};

/// The least value of the linear `form` over the solutions of linear rows; over the integers when the rows are.
/// Source: branch and bound. The simplex method bounds each part; where its point is no integer, the part is cut in two
/// there, and both parts are propagated again (`Rows`). Where cuts have no end, since unknowns have none, the values of the
/// form, and then of the rows, are tried one by one from their ends.
/// Errors: Failure(too_complex) from the budget or past 128 bits.
Least least_of(const Rows& rows, const Poly& form, Budget&);

}  // namespace halogen
