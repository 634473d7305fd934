#pragma once
// All solutions of a conjunction, as far as an answer needs them: the least and the largest value of every unknown.

#include "frontend/rows.h"

#include <optional>
#include <vector>

namespace halogen {

/// Counts the work done; Failure(too_complex) when it runs out.
class Budget {
public:
    explicit Budget(long steps) : left_(steps) {}
    void spend();

private:
    long left_;
};

/// Per unknown, of the first `asked`, the least range that holds its values over all solutions; nothing when there
/// are none. Exact over the integers; over the rationals, products of unknowns are left out of account.
std::optional<std::vector<Range>> ranges_of_solutions(Rows rows, int asked, Budget&);

/// True when there is an integer solution.
bool has_solution(Rows rows, Budget&);

}  // namespace halogen
