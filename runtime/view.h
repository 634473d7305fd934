#pragma once
// How a caller's memory becomes a tensor: a pointer, extents, and strides in elements. Eigen's matrices, vectors, maps,
// blocks, references and tensors are known by their members, so that this needs no header of Eigen and does not care
// which of them the caller includes, or when.

#include "element.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace halogen {

/// A tensor in somebody's memory. Units: elements. A stride may be negative or 0; `data` is the element at (0, …, 0).
template<typename T, int Rank>
struct View {
    T* data = nullptr;
    std::array<std::int64_t, Rank> extents{};
    std::array<std::int64_t, Rank> strides{};

    operator View<const T, Rank>() const
        requires(!std::is_const_v<T>)
    {
        return {data, extents, strides};
    }
    bool empty() const {
        for (auto extent : extents) {
            if (extent == 0) return true;
        }
        return false;
    }
};

/// Any integer, where lists of extents and strides are written: `{x.size(), 3}`.
struct Count {
    template<std::integral I>
    constexpr Count(I v) : value(static_cast<std::int64_t>(v)) {}
    std::int64_t value;
};

/// The strides of a dense row-major tensor: the last dim has stride 1.
template<std::size_t Rank>
constexpr std::array<std::int64_t, Rank> dense_strides(const std::array<std::int64_t, Rank>& extents) {
    std::array<std::int64_t, Rank> strides{};
    std::uint64_t step = 1;  // wraps for extents no memory has; the call refuses those
    for (std::size_t d = Rank; d-- > 0;) {
        strides[d] = static_cast<std::int64_t>(step);
        step *= static_cast<std::uint64_t>(extents[d] > 0 ? extents[d] : 1);
    }
    return strides;
}

/// A dense row-major tensor: `view(p, {rows, columns})`.
template<typename T, std::size_t Rank>
View<T, static_cast<int>(Rank)> view(T* data, const Count (&extents)[Rank]) {
    View<T, static_cast<int>(Rank)> v{data, {}, {}};
    for (std::size_t d = 0; d < Rank; d++) v.extents[d] = extents[d].value;
    v.strides = dense_strides(v.extents);
    return v;
}
/// A tensor with strides: `view(p, {rows, columns}, {1, rows})` is column-major.
template<typename T, std::size_t Rank>
View<T, static_cast<int>(Rank)> view(T* data, const Count (&extents)[Rank], const Count (&strides)[Rank]) {
    View<T, static_cast<int>(Rank)> v{data, {}, {}};
    for (std::size_t d = 0; d < Rank; d++) {
        v.extents[d] = extents[d].value;
        v.strides[d] = strides[d].value;
    }
    return v;
}
/// A tensor of rank 0: one element.
template<typename T>
View<T, 0> view(T* data) {
    return {data, {}, {}};
}

/// A dense row-major tensor that owns its memory, aligned to 64 bytes. Its elements begin undefined.
template<typename T, int Rank>
class Array {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    /// Allocates; check `allocated()` when memory may run out.
    explicit Array(const std::array<std::int64_t, Rank>& extents) noexcept : extents_(extents) {
        std::uint64_t bytes = sizeof(T);
        for (auto extent : extents) {
            if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) return;
        }
        if (bytes == 0) bytes = 1;
        data_.reset(static_cast<T*>(::operator new(bytes, std::align_val_t{64}, std::nothrow)));
    }

    bool allocated() const { return data_ != nullptr; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    const std::array<std::int64_t, Rank>& extents() const { return extents_; }
    std::int64_t extent(int d) const { return extents_[static_cast<std::size_t>(d)]; }
    std::int64_t size() const {
        std::int64_t n = 1;
        for (auto extent : extents_) n *= extent;
        return n;
    }

    View<T, Rank> view() { return {data(), extents_, dense_strides(extents_)}; }
    View<const T, Rank> view() const { return {data(), extents_, dense_strides(extents_)}; }

    /// The element at a place; nothing is checked.
    template<std::integral... I>
    T& operator()(I... at) {
        return data_.get()[offset({static_cast<std::int64_t>(at)...})];
    }
    template<std::integral... I>
    const T& operator()(I... at) const {
        return data_.get()[offset({static_cast<std::int64_t>(at)...})];
    }

private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::int64_t offset(const std::array<std::int64_t, Rank>& at) const {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < Rank; d++) place = place * extents_[d] + at[d];
        return place;
    }

    std::array<std::int64_t, Rank> extents_;
    std::unique_ptr<T, Free> data_;
};

namespace detail {

template<typename T>
struct IsView : std::false_type {};
template<typename T, int Rank>
struct IsView<View<T, Rank>> : std::true_type {};
template<typename T>
struct IsArray : std::false_type {};
template<typename T, int Rank>
struct IsArray<Array<T, Rank>> : std::true_type {};

/// Eigen's dense objects that are memory: Matrix, Array, Vector, Map, Ref, Block, Transpose, ….
template<typename M>
concept EigenMatrix = requires(M& m) {
    typename M::Scalar;
    M::RowsAtCompileTime;
    M::ColsAtCompileTime;
    m.rowStride();
    m.colStride();
    m.innerStride();
    m.data();
};
/// Eigen's Tensor, TensorFixedSize and TensorMap.
template<typename M>
concept EigenTensor = requires(M& m) {
    typename M::Scalar;
    M::NumIndices;
    M::Layout;
    m.dimensions();
    m.data();
};
/// std::vector, std::array, std::span, C arrays: rank 1.
template<typename M>
concept Contiguous = !EigenMatrix<M> && !EigenTensor<M> && !IsView<M>::value && !IsArray<M>::value && requires(M& m) {
    std::data(m);
    std::size(m);
};

template<int Rank, EigenMatrix M>
auto view_of_matrix(M& m) {
    using T = std::remove_pointer_t<decltype(m.data())>;
    constexpr bool vector = M::RowsAtCompileTime == 1 || M::ColsAtCompileTime == 1;
    static_assert(Rank == 2 || (Rank == 1 && vector) || (Rank == 0 && M::SizeAtCompileTime == 1),
                  "an Eigen matrix has two dims, a vector one or two: use an Eigen::TensorMap or halogen::view here");
    if constexpr (Rank == 2) {
        return View<T, 2>{m.data(), {m.rows(), m.cols()}, {m.rowStride(), m.colStride()}};
    } else if constexpr (Rank == 1) {
        return View<T, 1>{m.data(), {m.size()}, {m.innerStride()}};
    } else {
        return View<T, 0>{m.data(), {}, {}};
    }
}

template<int Rank, EigenTensor M>
auto view_of_tensor(M& m) {
    using T = std::remove_pointer_t<decltype(m.data())>;
    static_assert(Rank == M::NumIndices, "the Eigen tensor has another number of dims than the kernel's");
    View<T, Rank> v{m.data(), {}, {}};
    for (std::size_t d = 0; d < Rank; d++) v.extents[d] = static_cast<std::int64_t>(m.dimensions()[d]);
    if constexpr (static_cast<int>(M::Layout) == 1) {  // Eigen::RowMajor
        v.strides = dense_strides(v.extents);
    } else {
        std::uint64_t step = 1;
        for (std::size_t d = 0; d < Rank; d++) {
            v.strides[d] = static_cast<std::int64_t>(step);
            step *= static_cast<std::uint64_t>(v.extents[d] > 0 ? v.extents[d] : 1);
        }
    }
    return v;
}

template<typename>
inline constexpr bool always_false = false;

/// Any of the above as a View of `Rank` dims; what it cannot be is a compile error that says what it must be.
template<int Rank, typename M>
auto to_view(M& m) {
    using Plain = std::remove_cv_t<M>;
    if constexpr (IsView<Plain>::value) {
        static_assert(Plain{}.extents.size() == Rank, "the view has another number of dims than the kernel's tensor");
        return m;
    } else if constexpr (IsArray<Plain>::value) {
        static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(m.extents())>> == Rank,
                      "the array has another number of dims than the kernel's tensor");
        return m.view();
    } else if constexpr (EigenMatrix<M>) {
        return view_of_matrix<Rank>(m);
    } else if constexpr (EigenTensor<M>) {
        return view_of_tensor<Rank>(m);
    } else if constexpr (Contiguous<M>) {
        static_assert(Rank == 1, "a list has one dim: use halogen::view(pointer, {extents})");
        using T = std::remove_pointer_t<decltype(std::data(m))>;
        return View<T, 1>{std::data(m), {static_cast<std::int64_t>(std::size(m))}, {1}};
    } else if constexpr (element_of<Plain>() != Element::unknown) {
        static_assert(Rank == 0, "a single number has no dims: use halogen::view(pointer, {extents})");
        return View<M, 0>{&m, {}, {}};
    } else {
        static_assert(always_false<M>,
                      "give an Eigen matrix, vector, map, block or tensor (an expression must be evaluated first), "
                      "a std::vector or std::span, or halogen::view(pointer, {extents}, {strides})");
    }
}

}  // namespace detail

/// A tensor as the call sees it: without its type.
struct Buffer {
    void* data = nullptr;
    const std::int64_t* extents = nullptr;
    const std::int64_t* strides = nullptr;
};

namespace detail {

/// The view must live as long as the buffer: it holds its extents and strides.
template<typename T, int Rank>
Buffer to_buffer(const View<T, Rank>& v) {
    return {const_cast<std::remove_const_t<T>*>(v.data), v.extents.data(), v.strides.data()};
}

}  // namespace detail
}  // namespace halogen
