#pragma once
// How many elements an access touches: strided windows leave holes in the box that they reach.

#include "frontend/formula/hull.h"
#include "frontend/notation/program.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// One bracket of an access, over the indices of a block.
struct CellPlace {
    Formula place;
    Hull places, inside;                         // what it reaches, and how much of that lies in the tensor
    Formula extent;                              // of the dim
    Boundary::Mode mode = Boundary::Mode::none;  // what places beyond its ends read
};

/// The number of different elements that an access reaches over `block`: of `2*y + r` with 5 values of y and 1 of r it is 5, with 3
/// of r 11. Nothing where no formula is known: an index in two dims, strides that are symbols beside another than 1, overlapping ones
/// (`2*y + 3*r`) that the tensor's edge cuts, padding that is read from other elements.
/// Source: of a*x + b*y with a and b without a common divisor, (x, y) and (x + b, y - a) are one place and no others are, so n by
/// m points reach n*m - max(n - b, 0)*max(m - a, 0).
std::optional<Formula> cell_count(const std::vector<CellPlace>&, const Box& block, const LowerBounds&);

/// Likewise by looking at every point; all formulas must be numbers but for the indices of `block`. Nothing past a million points.
std::optional<std::int64_t> count_cells(const std::vector<CellPlace>&, const Box& block);

}  // namespace halogen
