#pragma once
// The tensors and scalars of a call, by name.

#include "frontend/interpret/host_tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace halogen {

using Tensors = std::map<std::string, HostTensor>;

/// The value of a run-time scalar: a double for float types, an int64 for all others.
using ScalarValue = std::variant<std::int64_t, double>;
using Scalars = std::map<std::string, ScalarValue>;

}  // namespace halogen
