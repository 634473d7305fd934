#include "frontend/interpret/host_tensor.h"

#include <Eigen/Core>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include <sys/mman.h>

namespace halogen {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

template<typename T>
T load(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

template<typename T, typename From>
void store(std::byte* p, From value) {
    const T stored = static_cast<T>(value);
    std::memcpy(p, &stored, sizeof stored);
}

/// The places that strides reach below and above the origin, in elements.
struct Reach {
    std::int64_t below = 0, above = 0;
};

Reach reach(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
    Reach r;
    for (std::size_t d = 0; d < extents.size(); d++) {
        if (extents[d] == 0) return {0, -1};
        const std::int64_t far = (extents[d] - 1) * strides[d];
        (far < 0 ? r.below : r.above) += far;
    }
    return r;
}

}  // namespace

template<>
std::byte* TensorAllocator<std::byte>::allocate(std::size_t n) {
    const bool large = n >= huge_page / 2;
    const std::size_t alignment = large ? huge_page : 64;
    void* p = std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment);
    if (!p) throw std::bad_alloc();
    if (large) madvise(p, n, MADV_HUGEPAGE);
    return static_cast<std::byte*>(p);
}

template<>
void TensorAllocator<std::byte>::deallocate(std::byte* p, std::size_t) {
    std::free(p);
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<std::int64_t>(extents[d], 1);
    return strides;
}

std::int64_t count_elements(const std::vector<std::int64_t>& extents) {
    std::int64_t n = 1;
    for (std::int64_t e : extents)
        if (e == 0) return 0;
    for (std::int64_t e : extents)
        if (__builtin_mul_overflow(n, e, &n)) return std::numeric_limits<std::int64_t>::max();
    return n;
}

HostTensor::HostTensor(Type type, const std::vector<std::int64_t>& extents)
    : HostTensor(type, extents, row_major_strides(extents)) {}

HostTensor::HostTensor(Type type, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides)
    : type_(type), extents_(std::move(extents)), strides_(std::move(strides)) {
    const Reach r = reach(extents_, strides_);
    origin_ = -r.below;
    const std::size_t elements = static_cast<std::size_t>(r.above - r.below + 1);
    if (elements > std::numeric_limits<std::size_t>::max() / 16) throw std::bad_alloc();
    // Never empty, so that data() of an empty tensor is a pointer that kernels accept.
    storage_.assign(std::max<std::size_t>(elements * bytes_of(type), 8), std::byte{0});
}

HostTensor laid_out(const HostTensor& tensor, std::vector<std::int64_t> strides) {
    HostTensor result(tensor.type(), tensor.extents(), std::move(strides));
    const int bytes = bytes_of(tensor.type());
    for_each_index(tensor.extents(), [&](std::span<const std::int64_t> index) {
        std::copy_n(tensor.data() + tensor.offset_of(index) * bytes, bytes,
                    result.data() + result.offset_of(index) * bytes);
    });
    return result;
}

std::int64_t HostTensor::elements() const { return count_elements(extents_); }

std::int64_t HostTensor::offset_of(std::span<const std::int64_t> index) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); d++) offset += index[d] * strides_[d];
    return offset;
}

double HostTensor::real(std::int64_t offset) const {
    const std::byte* p = data() + offset * bytes_of(type_);
    switch (type_) {
    case Type::f64: return load<double>(p);
    case Type::f32: return load<float>(p);
    case Type::f16: return static_cast<float>(load<Eigen::half>(p));
    case Type::bf16: return static_cast<float>(load<Eigen::bfloat16>(p));
    default: return static_cast<double>(integer(offset));
    }
}

std::int64_t HostTensor::integer(std::int64_t offset) const {
    const std::byte* p = data() + offset * bytes_of(type_);
    switch (type_) {
    case Type::i8: return load<std::int8_t>(p);
    case Type::i16: return load<std::int16_t>(p);
    case Type::i32: return load<std::int32_t>(p);
    case Type::i64: return load<std::int64_t>(p);
    case Type::u8: return load<std::uint8_t>(p);
    case Type::u16: return load<std::uint16_t>(p);
    case Type::u32: return load<std::uint32_t>(p);
    case Type::boolean: return load<std::uint8_t>(p) != 0;
    default: return static_cast<std::int64_t>(real(offset));
    }
}

void HostTensor::set_real(std::int64_t offset, double value) {
    std::byte* p = data() + offset * bytes_of(type_);
    switch (type_) {
    case Type::f64: return store<double>(p, value);
    case Type::f32: return store<float>(p, value);
    case Type::f16: return store<Eigen::half>(p, static_cast<float>(value));
    case Type::bf16: return store<Eigen::bfloat16>(p, static_cast<float>(value));
    default: return set_integer(offset, static_cast<std::int64_t>(value));
    }
}

void HostTensor::set_integer(std::int64_t offset, std::int64_t value) {
    std::byte* p = data() + offset * bytes_of(type_);
    switch (type_) {
    case Type::i8: return store<std::int8_t>(p, value);
    case Type::i16: return store<std::int16_t>(p, value);
    case Type::i32: return store<std::int32_t>(p, value);
    case Type::i64: return store<std::int64_t>(p, value);
    case Type::u8: return store<std::uint8_t>(p, value);
    case Type::u16: return store<std::uint16_t>(p, value);
    case Type::u32: return store<std::uint32_t>(p, value);
    case Type::boolean: return store<std::uint8_t>(p, value != 0);
    default: return set_real(offset, static_cast<double>(value));
    }
}

}  // namespace halogen
