#pragma once
// Linear inequalities over numbered unknowns.

#include "frontend/base/rational.h"

#include <vector>

namespace halogen {

/// sum of factors * unknowns + constant >= 0
struct Inequality {
    std::vector<Wide> factors;
    Wide constant = 0;
};

}  // namespace halogen
