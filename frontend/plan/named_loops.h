#pragma once
// One name for each loop of a tensor, whatever its equations call their indices.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

namespace halogen {

/// A kernel and its solution with the indices of every equation named as the loops of the Func that it writes, which are
/// those of the first equation of a version: `Y[i] = X[i]; Y[j] += b[j]` is scheduled as `Y[i] = X[i]; Y[i] += b[i]`.
/// Steps of a history speak of these names; errors speak of those in the kernel's text.
struct NamedLoops {
    Kernel kernel;
    Solution solution;
};
NamedLoops with_named_loops(const Kernel&, const Solution&);

}  // namespace halogen
