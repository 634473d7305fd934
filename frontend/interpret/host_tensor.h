#pragma once
// A tensor in this process's memory: what files are read into, what the interpreter and the compiled kernels work on.

#include "frontend/notation/type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace halogen {

/// Memory for tensors: 64-byte aligned; from 1 MB on, aligned for and offered to huge pages.
template<typename T>
struct TensorAllocator {
    using value_type = T;
    TensorAllocator() = default;
    template<typename U>
    TensorAllocator(const TensorAllocator<U>&) {}
    T* allocate(std::size_t n);
    void deallocate(T* p, std::size_t n);
    friend bool operator==(TensorAllocator, TensorAllocator) { return true; }
};
template<>
std::byte* TensorAllocator<std::byte>::allocate(std::size_t n);
template<>
void TensorAllocator<std::byte>::deallocate(std::byte* p, std::size_t n);

/// Owns its elements. Extents and strides are in elements, one per dim in the notation's order (the last dim is
/// contiguous when made without strides); strides may be of any sign and order. f16 and bf16 are held as their 16 bits,
/// bool as one byte, 0 or 1. New tensors hold zeros.
class HostTensor {
public:
    HostTensor() = default;
    /// Dense, row-major. Throws std::bad_alloc where memory does not suffice.
    HostTensor(Type, const std::vector<std::int64_t>& extents);
    /// With the given strides; the storage spans exactly what they reach. No two elements may share a place.
    HostTensor(Type, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides);

    Type type() const { return type_; }
    int rank() const { return static_cast<int>(extents_.size()); }
    const std::vector<std::int64_t>& extents() const { return extents_; }
    const std::vector<std::int64_t>& strides() const { return strides_; }
    std::int64_t elements() const;

    /// The element whose index is 0 in every dim; a valid pointer for empty tensors too.
    std::byte* data() { return storage_.data() + origin_ * bytes_of(type_); }
    const std::byte* data() const { return storage_.data() + origin_ * bytes_of(type_); }
    /// All the memory, in address order.
    std::span<std::byte> storage() { return {storage_.data(), storage_.size()}; }
    std::span<const std::byte> storage() const { return {storage_.data(), storage_.size()}; }

    /// The distance of an element from data(), in elements. The index must be inside.
    std::int64_t offset_of(std::span<const std::int64_t> index) const;

    /// Reads or writes the element at `offset` from data(). `real` serves the float types, `integer` all others.
    /// Writing rounds to the type (half to even); integers must fit.
    double real(std::int64_t offset) const;
    std::int64_t integer(std::int64_t offset) const;
    void set_real(std::int64_t offset, double value);
    void set_integer(std::int64_t offset, std::int64_t value);

private:
    Type type_ = Type::f32;
    std::vector<std::int64_t> extents_, strides_;
    std::int64_t origin_ = 0;
    std::vector<std::byte, TensorAllocator<std::byte>> storage_ = std::vector<std::byte, TensorAllocator<std::byte>>(8);
};

/// The strides of a dense row-major tensor, in elements.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& extents);

/// The same elements with these strides.
HostTensor laid_out(const HostTensor&, std::vector<std::int64_t> strides);

/// The number of elements; saturates at 2^63 - 1.
std::int64_t count_elements(const std::vector<std::int64_t>& extents);

/// Calls `visit(index)` for every index of a box in row-major order; once, with no coordinates, for rank 0.
template<typename Visit>
void for_each_index(const std::vector<std::int64_t>& extents, Visit&& visit) {
    for (std::int64_t e : extents)
        if (e <= 0) return;
    std::vector<std::int64_t> index(extents.size(), 0);
    while (true) {
        visit(std::span<const std::int64_t>(index));
        std::size_t d = extents.size();
        while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
        if (d == 0) return;
    }
}

}  // namespace halogen
