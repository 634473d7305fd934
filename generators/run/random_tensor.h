#pragma once
// Made-up inputs: the same for the same seed, name and extents, on every machine.

#include "frontend/interpret/host_tensor.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <cstdint>

namespace halogen {

/// Floats in [-1, 1); 8-bit integers over their whole range, wider ones small, so that sums of products do not overflow;
/// a tensor that stands in brackets holds positions that exist (each at most once where `=` scatters by it, as far as
/// they suffice).
HostTensor random_tensor(const Kernel& kernel, const Solution& numbers, const Tensor& tensor, std::uint64_t seed);

}  // namespace halogen
