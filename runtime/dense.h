#pragma once
// Dense copies of tensors that lie the other way than the code of a kernel walks. One pass over small tiles, so that each
// cache line met is used whole, costs less than code that strides through memory.

#include "context.h"
#include "view.h"

#include "HalideRuntime.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace halogen::detail {

/// The dim whose elements are nearest to each other, among those with several; -1 without one.
inline int nearest_dim(int rank, const Buffer& b) {
    int nearest = -1;
    for (int d = 0; d < rank; d++) {
        if (b.extents[d] < 2) continue;
        if (nearest < 0 || std::abs(b.strides[d]) < std::abs(b.strides[nearest])) nearest = d;
    }
    return nearest;
}

/// Two dims of a copy, and how both sides move along them, in elements.
struct Plane {
    std::int64_t extent[2], to[2], from[2];
};

#if defined(__SSE2__)

template<typename T>
inline __m128i interleave_low(__m128i a, __m128i b) {
    if constexpr (sizeof(T) == 1) return _mm_unpacklo_epi8(a, b);
    if constexpr (sizeof(T) == 2) return _mm_unpacklo_epi16(a, b);
    if constexpr (sizeof(T) == 4) return _mm_unpacklo_epi32(a, b);
    return _mm_unpacklo_epi64(a, b);
}
template<typename T>
inline __m128i interleave_high(__m128i a, __m128i b) {
    if constexpr (sizeof(T) == 1) return _mm_unpackhi_epi8(a, b);
    if constexpr (sizeof(T) == 2) return _mm_unpackhi_epi16(a, b);
    if constexpr (sizeof(T) == 4) return _mm_unpackhi_epi32(a, b);
    return _mm_unpackhi_epi64(a, b);
}

/// As many rows of a vector as it has lanes, turned: each of log2(lanes) rounds interleaves the first half of the rows with
/// the second (Stone, Parallel processing with the perfect shuffle, 1971). `to` moves by 1 along dim 0, `from` along dim 1.
template<typename T>
inline void turn_vectors(const Plane& p, T* to, const T* from) {
    constexpr int lanes = 16 / sizeof(T);
    __m128i rows[lanes], next[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; i++) rows[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * p.from[0]));
#pragma GCC unroll 4
    for (int round = 1; round < lanes; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < lanes / 2; i++) {
            next[2 * i] = interleave_low<T>(rows[i], rows[i + lanes / 2]);
            next[2 * i + 1] = interleave_high<T>(rows[i], rows[i + lanes / 2]);
        }
        std::copy_n(next, lanes, rows);
    }
#pragma GCC unroll 16
    for (int j = 0; j < lanes; j++) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + j * p.to[1]), rows[j]);
}

#endif

template<typename T>
inline void copy_elements(const Plane& p, T* to, const T* from, std::int64_t begin0, std::int64_t end0,
                          std::int64_t begin1, std::int64_t end1) {
    for (std::int64_t j = begin1; j < end1; j++)
        for (std::int64_t i = begin0; i < end0; i++)
            std::memcpy(to + i * p.to[0] + j * p.to[1], from + i * p.from[0] + j * p.from[1], sizeof(T));
}

/// `size0` by `size1` elements: whole vectors are turned, where both sides are dense, and the rest goes one by one.
template<typename T>
inline void copy_tile(const Plane& p, T* to, const T* from, std::int64_t size0, std::int64_t size1) {
    std::int64_t whole0 = 0, whole1 = 0;
#if defined(__SSE2__)
    constexpr std::int64_t lanes = 16 / sizeof(T);
    if (p.to[0] == 1 && p.from[1] == 1) whole0 = size0 / lanes * lanes, whole1 = size1 / lanes * lanes;
    for (std::int64_t j = 0; j < whole1; j += lanes)
        for (std::int64_t i = 0; i < whole0; i += lanes)
            turn_vectors(p, to + i + j * p.to[1], from + i * p.from[0] + j);
#endif
    copy_elements(p, to, from, whole0, size0, 0, whole1);
    copy_elements(p, to, from, 0, size0, whole1, size1);
}

/// In tiles, so that each cache line met is used whole while it is near.
template<typename T>
inline void copy_plane(const Plane& p, T* to, const T* from) {
    constexpr std::int64_t side = 16;
    for (std::int64_t j = 0; j < p.extent[1]; j += side)
        for (std::int64_t i = 0; i < p.extent[0]; i += side)
            copy_tile(p, to + i * p.to[0] + j * p.to[1], from + i * p.from[0] + j * p.from[1],
                      std::min(side, p.extent[0] - i), std::min(side, p.extent[1] - j));
}

/// All elements of one tensor, which is not empty and has rank 2 or more, from one place to another: planes of the two dims
/// that are nearest on either side, in bands; so many bands make a task, and tasks may run at one time.
class DenseCopy {
public:
    DenseCopy(int rank, int bytes, const Buffer& to, const Buffer& from)
        : rank_(rank), bytes_(bytes), to_(to), from_(from), dims_{nearest_dim(rank, to), nearest_dim(rank, from)} {
        if (dims_[0] < 0) dims_[0] = 0;
        if (dims_[1] < 0 || dims_[1] == dims_[0]) dims_[1] = dims_[0] == 0 ? rank - 1 : 0;
        for (int k = 0; k < 2; k++) {
            plane_.extent[k] = to.extents[dims_[k]];
            plane_.to[k] = to.strides[dims_[k]];
            plane_.from[k] = from.strides[dims_[k]];
        }
        constexpr std::int64_t worth_a_task = 1 << 15;  // elements
        width_ = std::max(worth_a_task / plane_.extent[0], std::int64_t{16}) / 16 * 16;
        bands_of_a_plane_ = (plane_.extent[1] + width_ - 1) / width_;
        bands_ = bands_of_a_plane_;
        for (int d = 0; d < rank; d++)
            if (d != dims_[0] && d != dims_[1]) bands_ *= to.extents[d];
        bands_of_a_task_ = std::max(worth_a_task / (plane_.extent[0] * plane_.extent[1]), std::int64_t{1});
    }

    /// On the pool of `context`'s call. 0, or what Halide's loop failed with.
    int run(CallContext& context) const {
        const auto task = [](void*, int number, std::uint8_t* copy) {
            reinterpret_cast<const DenseCopy*>(copy)->run(number);
            return 0;
        };
        auto* self = reinterpret_cast<std::uint8_t*>(const_cast<DenseCopy*>(this));
        const std::int64_t tasks = (bands_ + bands_of_a_task_ - 1) / bands_of_a_task_;
        return tasks == 1 ? task(nullptr, 0, self)
                          : halide_do_par_for(&context, task, 0, static_cast<int>(tasks), self);
    }

private:
    void run(std::int64_t task) const {
        const std::int64_t begin = task * bands_of_a_task_, end = std::min(begin + bands_of_a_task_, bands_);
        for (std::int64_t band = begin; band < end; band++) copy_band(band);
    }

    void copy_band(std::int64_t band) const {
        std::int64_t rest = band / bands_of_a_plane_, to = 0, from = 0;
        for (int d = rank_; d-- > 0;) {
            if (d == dims_[0] || d == dims_[1]) continue;
            const std::int64_t at = rest % to_.extents[d];
            rest /= to_.extents[d];
            to += at * to_.strides[d];
            from += at * from_.strides[d];
        }
        const std::int64_t begin = band % bands_of_a_plane_ * width_;
        Plane part = plane_;
        part.extent[1] = std::min(width_, plane_.extent[1] - begin);
        to += begin * plane_.to[1];
        from += begin * plane_.from[1];
        switch (bytes_) {
        case 1: return copy<std::uint8_t>(part, to, from);
        case 2: return copy<std::uint16_t>(part, to, from);
        case 4: return copy<std::uint32_t>(part, to, from);
        default: return copy<std::uint64_t>(part, to, from);
        }
    }

    template<typename T>
    void copy(const Plane& part, std::int64_t to, std::int64_t from) const {
        copy_plane(part, static_cast<T*>(to_.data) + to, static_cast<const T*>(from_.data) + from);
    }

    int rank_, bytes_;
    Buffer to_, from_;
    int dims_[2];  // those of the plane
    Plane plane_;
    std::int64_t width_;  // of a band, along the plane's dim 1
    std::int64_t bands_of_a_plane_, bands_of_a_task_, bands_;
};

inline std::int64_t elements_of(int rank, const Buffer& b) {
    if (std::find(b.extents, b.extents + rank, 0) != b.extents + rank)
        return 0;  // the others may be too large to multiply
    std::int64_t elements = 1;
    for (int d = 0; d < rank; d++) elements *= b.extents[d];
    return elements;
}

/// The elements of a tensor whose first dim is nearer in memory than the last; less than 0 the other way round, and where the first has a single
/// one: code that walks along it would do so one by one.
inline std::int64_t elements_by_columns(int rank, const Buffer& b) {
    if (rank < 2 || b.extents[rank - 1] < 2) return 0;
    const std::int64_t first = std::abs(b.strides[0]), last = std::abs(b.strides[rank - 1]);
    if (b.extents[0] < 2 || last < first) return -elements_of(rank, b);
    return first < last ? elements_of(rank, b) : 0;
}

/// Whether the elements of `b`, of some size, are nearer along another dim than along `inner`, where code walks. A copy of a tensor
/// that repeats its elements (stride 0) could be far larger than the tensor.
inline bool lies_across(int rank, const Buffer& b, int inner) {
    if (rank < 2 || b.extents[inner] < 2) return false;
    for (int d = 0; d < rank; d++)
        if (b.extents[d] > 1 && b.strides[d] == 0) return false;
    return std::abs(b.strides[nearest_dim(rank, b)]) < std::abs(b.strides[inner]);
}

/// A tensor of its own memory, dense in the order of its dims, or the other way round. Where there is no memory it is as it was.
class DenseTensor {
public:
    /// `strides` has room for `rank` of them, and lives as long as this.
    DenseTensor(int rank, int bytes, const Buffer& original, bool reversed, std::int64_t* strides)
        : rank_(rank), bytes_(bytes), original_(original), dense_{nullptr, original.extents, strides} {
        std::int64_t elements = 1;
        for (int k = 0; k < rank; k++) {
            const int d = reversed ? k : rank - 1 - k;
            strides[d] = elements;
            elements *= original.extents[d];
        }
        memory_.reset(::operator new(static_cast<std::size_t>(elements * bytes), line, std::nothrow));
        dense_.data = memory_.get();
    }
    const Buffer& buffer() const { return memory_ ? dense_ : original_; }

    /// 0, or what Halide's loop failed with.
    int read(CallContext& context) const { return copy(context, dense_, original_); }
    int write(CallContext& context) const { return copy(context, original_, dense_); }

private:
    static constexpr std::align_val_t line{64};
    struct Free {
        void operator()(void* p) const { ::operator delete(p, line); }
    };

    int copy(CallContext& context, const Buffer& to, const Buffer& from) const {
        return memory_ ? DenseCopy(rank_, bytes_, to, from).run(context) : 0;
    }

    int rank_, bytes_;
    Buffer original_, dense_;
    std::unique_ptr<void, Free> memory_;
};

}  // namespace halogen::detail
