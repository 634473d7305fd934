#pragma once
// Whether two tensors share memory, exactly: their elements are lattices of addresses, and interleaved ones (two halves
// of the columns of a matrix, the planes of an RGB picture) overlap as ranges while sharing nothing.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace halogen::detail {

inline constexpr int max_dims = 16;

/// Holds every sum of products of extents and strides.
__extension__ typedef __int128 Wide;

/// The bytes of a tensor: address + sum of stride[d] * i[d] with 0 <= i[d] < extent[d], each `element` bytes wide.
struct Footprint {
    std::intptr_t address = 0;
    int element = 1;
    int dims = 0;
    std::array<std::int64_t, max_dims> extent, stride;  // the first `dims` of each; strides in bytes
};

enum class Sharing { none, some, undecided };

/// Whether sum of step[t] * x[t], 0 <= x[t] <= most[t], can fall into a window: a bounded search over few terms,
/// largest step first, cut short by ranges and by remainders modulo the steps' common divisor.
class WindowSearch {
public:
    /// Adds a term; steps of 0 and ranges of 0 add nothing. Steps may be negative. 128 bits hold all sums.
    void add(std::int64_t step, std::int64_t most) {
        if (step == 0 || most == 0) return;
        if (step < 0) {  // step * x = step * most + |step| * (most - x)
            offset_ += Wide{step} * most;
            step = -step;
        }
        for (int t = 0; t < count_; t++) {
            if (step_[t] == step) {  // a sum of ranges with one step is a range
                most_[t] += most;
                return;
            }
        }
        step_[count_] = step;
        most_[count_++] = most;
    }

    /// Whether a value can lie in [low, high].
    Sharing hits(std::int64_t low, std::int64_t high) {
        sort_and_merge();
        reach_[count_] = 0;
        divisor_[count_] = 0;
        for (int t = count_; t-- > 0;) {
            reach_[t] = reach_[t + 1] + step_[t] * most_[t];
            divisor_[t] = std::gcd(divisor_[t + 1], static_cast<std::int64_t>(step_[t]));
        }
        budget_ = 20000;
        return search(0, low - offset_, high - offset_);
    }

private:
    // Largest step first; a term whose step is a multiple of a smaller one that fills the gap becomes one with it.
    void sort_and_merge() {
        for (int i = 1; i < count_; i++) {
            for (int j = i; j > 0 && step_[j] > step_[j - 1]; j--) {
                std::swap(step_[j], step_[j - 1]);
                std::swap(most_[j], most_[j - 1]);
            }
        }
        for (int t = count_ - 2; t >= 0; t--) {
            const Wide ratio = step_[t] / step_[t + 1];
            if (step_[t] % step_[t + 1] != 0 || most_[t + 1] < ratio - 1) continue;
            most_[t] = most_[t] * ratio + most_[t + 1];
            step_[t] = step_[t + 1];
            for (int u = t + 1; u + 1 < count_; u++) step_[u] = step_[u + 1], most_[u] = most_[u + 1];
            count_--;
        }
    }

    static Wide divide_up(Wide a, Wide b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
    static Wide divide_down(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

    Sharing search(int t, Wide low, Wide high) {
        if (budget_-- <= 0) return Sharing::undecided;
        low = std::max<Wide>(low, 0);
        high = std::min<Wide>(high, reach_[t]);
        if (low > high) return Sharing::none;
        if (t == count_) return Sharing::some;
        if (divide_up(low, divisor_[t]) * divisor_[t] > high) return Sharing::none;
        if (t + 1 == count_) return Sharing::some;  // the only step left is the divisor
        const Wide first = std::max<Wide>(0, divide_up(low - reach_[t + 1], step_[t]));
        const Wide last = std::min<Wide>(most_[t], divide_down(high, step_[t]));
        for (Wide x = first; x <= last; x++) {
            const Sharing found = search(t + 1, low - x * step_[t], high - x * step_[t]);
            if (found != Sharing::none) return found;
        }
        return Sharing::none;
    }

    int count_ = 0;
    int budget_ = 0;
    Wide offset_ = 0;
    std::array<Wide, 2 * max_dims> step_, most_;  // the first count_ of each
    std::array<Wide, 2 * max_dims + 1> reach_;    // the largest sum of the terms from t on
    std::array<std::int64_t, 2 * max_dims + 1> divisor_;
};

inline bool is_empty(const Footprint& f) {
    return std::any_of(f.extent.begin(), f.extent.begin() + f.dims, [](std::int64_t n) { return n <= 0; });
}

/// The first byte of a tensor, and the one behind its last; of an empty one, none.
template<typename Number>
struct ByteRange {
    Number begin = 0, end = 0;
    bool is_empty() const { return begin == end; }
    bool meets(const ByteRange& other) const { return begin < other.end && other.begin < end; }
};
inline ByteRange<Wide> range_of(const Footprint& f) {
    ByteRange<Wide> range{f.address, Wide{f.address} + f.element};
    for (std::size_t d = 0; d < static_cast<std::size_t>(f.dims); d++) {
        const Wide reach = Wide{f.stride[d]} * (f.extent[d] - 1);
        (reach < 0 ? range.begin : range.end) += reach;
    }
    return range;
}

/// Whether two tensors have a byte in common. Undecided only after a long search over strides that do not nest.
inline Sharing sharing(const Footprint& a, const Footprint& b) {
    if (is_empty(a) || is_empty(b)) return Sharing::none;
    if (!range_of(a).meets(range_of(b))) return Sharing::none;
    // Two elements share a byte when (place in a) - (place in b) lies in [-(a.element - 1), b.element - 1].
    WindowSearch search;
    for (int d = 0; d < a.dims; d++) search.add(a.stride[d], a.extent[d] - 1);
    for (int d = 0; d < b.dims; d++) search.add(-b.stride[d], b.extent[d] - 1);
    const std::int64_t apart = b.address - a.address;
    return search.hits(apart - (a.element - 1), apart + (b.element - 1));
}

/// Whether two different elements of one tensor have a byte in common (stride 0, or strides that overlap).
inline Sharing self_sharing(const Footprint& f) {
    if (is_empty(f)) return Sharing::none;
    std::array<std::int64_t, max_dims> stride, extent;  // the first `dims` of each
    int dims = 0;
    for (int d = 0; d < f.dims; d++) {
        if (f.extent[d] == 1) continue;
        if (f.stride[d] == 0) return Sharing::some;
        int at = dims++;  // sorted, smallest stride first
        const std::int64_t step = f.stride[d] < 0 ? -f.stride[d] : f.stride[d];
        for (; at > 0 && stride[at - 1] > step; at--) stride[at] = stride[at - 1], extent[at] = extent[at - 1];
        stride[at] = step;
        extent[at] = f.extent[d];
    }
    Wide span = f.element;  // bytes from the first to behind the last of what the smaller dims cover
    bool nested = true;
    for (int d = 0; d < dims; d++) {
        nested = nested && stride[d] >= span;
        span += static_cast<Wide>(stride[d]) * (extent[d] - 1);
    }
    if (nested) return Sharing::none;
    // Two elements differ first, from the largest stride on, in dim d by 1 or more; below it by anything.
    Sharing answer = Sharing::none;
    for (int d = 0; d < dims; d++) {
        WindowSearch search;
        search.add(stride[d], extent[d] - 2);
        const std::int64_t low = -(f.element - 1), high = f.element - 1;
        for (int e = 0; e < d; e++) {
            search.add(stride[e], extent[e] - 1);
            search.add(-stride[e], extent[e] - 1);
        }
        const Sharing found = search.hits(low - stride[d], high - stride[d]);
        if (found == Sharing::some) return found;
        if (found == Sharing::undecided) answer = found;
    }
    return answer;
}

}  // namespace halogen::detail
