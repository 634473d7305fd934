#pragma once
// Places that count what was selected before: `Y[P[i] - 1] = X[i] where X[i] > t`, with P the running count of `X[i] > t`.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// The places 0, 1, 2 and so on, no two points at one.
struct RunningCount {
    bool lies_inside;  // the tensor has them all
};

/// What dim `dim` of what the equation writes is, if it is a running count of one of its own predicates, one less where the point itself is
/// counted, and if indices alone stand in the other dims.
std::optional<RunningCount> running_count(const Kernel&, const Solution&, int equation, int dim);

}  // namespace halogen
