#include "frontend/project/tensor_part.h"

#include <cstring>

namespace halogen {

namespace {

std::int64_t offset_in(const TensorPart& p, std::span<const std::int64_t> index) {
    std::int64_t offset = offset_of(p);
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * p.tensor->strides()[d];
    return offset;
}

}  // namespace

std::int64_t offset_of(const TensorPart& p) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < p.part.low.size(); ++d) offset += p.part.low[d] * p.tensor->strides()[d];
    return offset;
}

HostTensor copy_of(const TensorPart& p) {
    HostTensor copy(p.tensor->type(), p.part.extents);
    const int bytes = bytes_of(copy.type());
    for_each_index(p.part.extents, [&](std::span<const std::int64_t> index) {
        std::memcpy(copy.data() + copy.offset_of(index) * bytes, p.tensor->data() + offset_in(p, index) * bytes, bytes);
    });
    return copy;
}

void copy_back(const HostTensor& values, const TensorPart& p) {
    const int bytes = bytes_of(values.type());
    for_each_index(p.part.extents, [&](std::span<const std::int64_t> index) {
        std::memcpy(p.tensor->data() + offset_in(p, index) * bytes, values.data() + values.offset_of(index) * bytes,
                    bytes);
    });
}

}  // namespace halogen
