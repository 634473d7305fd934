#pragma once
// Linear optimization over the rationals, exact: the bounds of the integer search, and answers where no integers are asked.

#include "frontend/base/budget.h"
#include "frontend/integers/inequality.h"

#include <vector>

namespace halogen {

struct Optimum {
    enum class Kind { no_point, unbounded, attained } kind = Kind::no_point;
    Rational value;               // of the form, where attained
    std::vector<Rational> point;  // where it is attained
};

/// The least value of sum of form * unknowns where all rows hold; unknowns may have either sign.
/// Errors: Failure(overflow) past 128 bits, Failure(too_complex) from the budget.
/// Source: dictionaries with one common denominator (Edmonds' integer pivoting), Bland's rule: it always ends.
Optimum minimize(const std::vector<Inequality>& rows, const std::vector<Wide>& form, Budget&);

}  // namespace halogen
