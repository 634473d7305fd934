#pragma once
// The same kernel with windows that are scattered some elements apart gathered by phases.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// A transposed convolution with channels first, `Z[k, T*y + r, T*x + s] += X[c, y, x]*F[c, k, r, s]`, whose steps T are known to be 2 or
/// more, as a convolution with T*T times as many filters, one for each phase of the result:
///   `Z_filters[f, c, u, v] = F[c, f/(T*T), T*u + f/T%T, T*v + f%T]`, with zeros beyond F,
///   `Z_phases[f, q, p] += X[c, q - u, p - v]*Z_filters[f, c, u, v]`, with zeros around X,
///   `Z[k, y, x] = Z_phases[(k*T + y%T)*T + x%T, y/T, x/T]`
/// (W. Shi et al.: Is the deconvolution layer the same as a convolutional layer?, 2016). Vectors lie along pixels, where scattered ones would be
/// T apart. (64 channels of 28x28, windows of 4x4 by two, on Zen 4: 1.79 ms, and 1.33 so; with channels last sums along them scatter as well.)
/// Nothing where no equation scatters so. `sizes` gives the parameters that are known, `solution` has every symbol open. No errors.
std::optional<Kernel> phased(const Kernel&, const Solution&, const Settings& sizes);

}  // namespace halogen
