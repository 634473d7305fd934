#pragma once
// Parts of tensors in memory.

#include "frontend/interpret/host_tensor.h"

#include <cstdint>
#include <vector>

namespace halogen {

/// A window in numbers: its first place in each dim, and how many there are.
struct Part {
    std::vector<std::int64_t> low, extents;
    friend bool operator==(const Part&, const Part&) = default;
};

/// A part of a tensor, seen in place; the tensor must outlive it.
struct TensorPart {
    HostTensor* tensor = nullptr;
    Part part;
};

/// Where the part begins, in elements from the tensor's element (0, ..., 0).
std::int64_t offset_of(const TensorPart&);

/// The part as a tensor of its own, and back.
HostTensor copy_of(const TensorPart&);
void copy_back(const HostTensor&, const TensorPart&);

}  // namespace halogen
