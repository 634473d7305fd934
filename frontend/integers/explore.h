#pragma once
// All solutions of a conjunction, as far as an answer needs them: the least and the largest value of every unknown.

#include "frontend/base/budget.h"
#include "frontend/integers/rows.h"

#include <optional>
#include <vector>

namespace halogen {

/// Per unknown, of the first `asked`, the least range that holds its values over all solutions; nothing when there
/// are none. Exact over the integers; over the rationals, products of unknowns are left out of account.
std::optional<std::vector<Range>> ranges_of_solutions(Rows rows, int asked, Budget&);

/// True when there is an integer solution.
bool has_solution(Rows rows, Budget&);

}  // namespace halogen
