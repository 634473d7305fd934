#pragma once
// How two formulas stand to each other.

#include "frontend/formula/formula.h"

#include <utility>

namespace halogen {

/// left == right, left <= right, or left divides right without a rest.
enum class Relation { equal, at_most, divides };

/// `slack >= 0` as `left <= right` without minus signs: H - R + 1 gives R and H + 1.
std::pair<Formula, Formula> sides_of(const Formula& slack);

}  // namespace halogen
