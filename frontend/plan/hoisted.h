#pragma once
// The same kernel with functions of few indices computed before the loops of others.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[t, h, i] = X[t, h, i]*cos(A[t, i])` as `Y_part[t, i] = cos(A[t, i]); Y[t, h, i] = X[t, h, i]*Y_part[t, i]`: what costs as much
/// as a cosine is not computed again for each h. (Of what the innermost loop does not move compilers take care.)
/// Nothing where no equation has such a part. `solution` has every symbol open. No errors.
std::optional<Kernel> hoisted(const Kernel&, const Solution&);

}  // namespace halogen
