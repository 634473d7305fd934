#pragma once
// What is known of the sign of a formula from lower bounds of its symbols. Sound, not complete.

#include "frontend/formula/formula.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// Lower bounds of symbols; a symbol that is not listed is at least 0.
using LowerBounds = std::map<std::string, std::int64_t>;

/// True only when f >= 0 for all values of its symbols at or above their bounds, divisors being positive.
bool is_nonnegative(const Formula& f, const LowerBounds& = {});

/// max(a, b) and min(a, b), decided where the sign of a - b is known.
Formula larger(const Formula& a, const Formula& b, const LowerBounds& = {});
Formula smaller(const Formula& a, const Formula& b, const LowerBounds& = {});

/// slack >= 0 as conditions that hold together: several where it is a sum with a min, or minus a max.
/// `N - max(a, b)` gives `N - a` and `N - b`.
std::vector<Formula> conjuncts(const Formula& slack);

}  // namespace halogen
