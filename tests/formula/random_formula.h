#pragma once
// Random formulas for property tests.

#include "frontend/formula/formula.h"
#include "tests/solve/seed.h"

#include <functional>

namespace halogen::test {

/// Draws formulas over the symbols and numbers that `leaf` gives, such as `max(H - 3, W)/2`.
struct RandomFormulas {
    Dice& dice;
    std::function<Formula()> leaf;
    Formula divisor;        // divides beside numbers
    bool subtracts = true;  // else no formula is negative where no leaf is

    /// At most `depth` operations within each other.
    Formula draw(int depth) {
        if (depth == 0 || dice.chance(15)) return leaf();
        const Formula a = draw(depth - 1), b = draw(depth - 1);
        switch (dice.between(0, 8)) {
        case 0: return floor_div(a, dice.between(1, 6));
        case 1: return floor_div(a, divisor);
        case 2: return remainder(a, dice.between(1, 6));
        case 3: return min(a, b);
        case 4: return max(a, b);
        case 5: return a * b;
        case 6: return subtracts ? a - b : a + b;
        default: return a + b;
        }
    }
};

}  // namespace halogen::test
