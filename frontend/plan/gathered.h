#pragma once
// The same kernel with elements that are gathered where points were scattered.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// A window that is scattered, `Y[y + r] += X[y]*F[r]`, as one that is gathered from an input with zeros around it,
/// `Y[y] += X[y - r]*F[r]` with `X: f32[H pad max(R - 1, 0)]`: the derivative of a convolution is one (where a filter hangs over
/// the edge it meets zeros, as in a convolution that is padded). And pairs that count through a dim by a number (a power
/// of two along the last one),
/// `Y[2*i + j] = A[i]*B[j]`, as `Y[i] = A[i/2]*B[i%2]`. And what is turned round, `Y[H - 1 - y] = X[y]`, as `Y[y] = X[H - 1 - y]`. Each element is written once, in order.
/// Nothing where no equation scatters so. `solution` has every symbol open. No errors.
std::optional<Kernel> gathered(const Kernel&, const Solution&);

}  // namespace halogen
