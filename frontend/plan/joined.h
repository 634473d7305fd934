#pragma once
// The same kernel with assignments to parts of a tensor as one equation.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// `Y[i] = a; Y[i] += b` as `Y[i] = a + b`, and `Y[i] = a; Y[i] = b where i in 1:N - 1` as
/// `Y[i] = select(i >= 1 and i < N - 1, b, a)`, and `Y[i, j] += b where j <= i` alone as `Y[i, j] = select(j <= i, b, 0)`, and `Y[2*i] = A[i]; Y[2*i + 1] = B[i]` as
/// `Y[i] = select(i%2 == 1, B[i/2], select(i%2 == 0, A[i/2], 0))`, and `Y[i, 0] = a; Y[i, 1] = b` of Y: f32[N, 2] as
/// `Y[i, c] = select(c == 1, b, select(c == 0, a, 0)) where c in 0:2`: each element is written once, and nothing is copied first. What `b` reads outside
/// of its range, and select drops, is padding of the input it reads.
/// Nothing where no tensor is made of such parts, or where computing a part everywhere would cost more than it saves.
/// `solution` has every symbol open. No errors.
std::optional<Kernel> joined(const Kernel&, const Solution&);

}  // namespace halogen
