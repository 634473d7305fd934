#pragma once
// The same kernel with small windows reduced down the columns of an image first.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[c, y, x] max= X[c, 2*y + r - 1, 2*x + s - 1] where r in 0:3, s in 0:3` as
///   `Y_columns[c, y, x] = max(max(X[c, 2*y - 1, x], X[c, 2*y, x]), X[c, 2*y + 1, x])`, with what stands beside X's rows beside its own,
///   `Y[c, y, x] = max(max(Y_columns[c, y, 2*x - 1], Y_columns[c, y, 2*x]), Y_columns[c, y, 2*x + 1])`:
/// down columns vectors are read as they lie, and one of three is stepped through.
/// (Zen 4, 3x3 by two of 64 images of 112x112: the largest 177 us, and 87 so; means 175, and 78; of 7x7 5.2 and 3.6, 9.6 and 3.3.)
/// Windows of known extents that move by several elements, fewer than they are wide, and are of a single read. Nothing where no equation
/// has such. No errors.
std::optional<Kernel> columns_first(const Kernel&, const Solution&);

}  // namespace halogen
