#pragma once
// Fourier-Motzkin elimination on linear rows, tightened to integers.
// Source: Pugh, "The Omega test", 1991, for when an elimination is exact over the integers.

#include "frontend/integers/inequality.h"

#include <vector>

namespace halogen {

struct Projection {
    bool empty = false;  // no solution over the reals (or, with tightening, none over the integers)
    bool exact = true;   // over the integers: every value in `range` belongs to an integer solution
    Range range;         // of the unknown that was kept
};

/// The values unknown `keep` takes (or only whether there are solutions, when keep < 0).
/// Errors: Failure(too_complex) past a cap on rows or 128 bits.
Projection project(std::vector<Inequality> rows, int unknowns, int keep, bool over_integers);

}  // namespace halogen
