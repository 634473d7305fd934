#pragma once
// Memory that notices a stray access: each buffer lies between two guard pages, and every byte of it that is not an
// element of the tensor holds a canary.

#include "tests/kernels/array.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace halogen::testing {

/// Pages of ordinary memory between two pages that fault on any access.
class GuardedPages {
public:
    explicit GuardedPages(std::size_t bytes);
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;

    std::byte* begin() const { return begin_; }
    std::byte* end() const { return end_; }

private:
    std::byte* begin_ = nullptr;
    std::byte* end_ = nullptr;
};

/// Where a buffer lies within its pages.
enum class Placement {
    at_begin,   // its first byte follows the guard page
    at_end,     // its last byte precedes the guard page
    unaligned,  // one element past a 64-byte boundary, canaries on both sides
};
inline constexpr int placements = 3;
std::string to_string(Placement);

/// The order of a tensor's elements in memory.
enum class Layout {
    row_major,
    column_major,
    padded,      // row-major, each outer stride three elements longer than it must be
    reversed,    // row-major, every stride negative
    transposed,  // the last two dims swapped, and a gap between rows
    spread,      // row-major, no unit stride: every second element
    mixed,       // each tensor of the call has another one of the above
};
inline constexpr int layouts = 7;
std::string to_string(Layout);

/// The strides, in elements, of a tensor of these extents. `layout` is not `mixed`.
std::vector<std::int64_t> strides_of(Layout layout, const std::vector<std::int64_t>& extents);

inline constexpr unsigned char canary = 0xA5;

/// A tensor in guarded memory.
template<typename T, std::size_t rank_>
class Placed {
public:
    using Value = T;
    static constexpr std::size_t rank = rank_;

    Placed(const Extents<rank>& extents, Layout layout, Placement placement)
        : extents_(extents), pages_(pages_for(extents, layout)) {
        const auto strides = strides_of(layout, {extents.begin(), extents.end()});
        std::int64_t lowest = 0, highest = 0;  // offsets of the outermost elements from element 0
        for (std::size_t d = 0; d < rank; d++) {
            strides_[d] = strides[d];
            (strides[d] < 0 ? lowest : highest) += strides[d] * std::max<std::int64_t>(extents[d] - 1, 0);
        }
        const auto span = static_cast<std::size_t>(elements(extents) == 0 ? 0 : highest - lowest + 1) * sizeof(T);
        std::byte* first = pages_.begin();
        if (placement == Placement::at_end) first = pages_.end() - span;
        if (placement == Placement::unaligned) first = pages_.begin() + 128 + sizeof(T);
        data_ = reinterpret_cast<T*>(first) - lowest;
        std::memset(pages_.begin(), canary, pages_.end() - pages_.begin());
    }

    T* data() const { return data_; }
    const Extents<rank>& extents() const { return extents_; }
    const Extents<rank>& strides() const { return strides_; }

    T& at(const Extents<rank>& place) const {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < rank; d++) offset += place[d] * strides_[d];
        return data_[offset];
    }

    /// Writes the values of `from` into the elements.
    void fill(const Array<T, rank>& from) const {
        visit([&](const Extents<rank>& place, std::int64_t i) { at(place) = from.values[i]; });
    }
    /// Calls `look(place, number)` for every element in row-major order.
    template<typename Look>
    void visit(Look&& look) const {
        if (elements(extents_) == 0) return;
        Extents<rank> place{};
        std::int64_t i = 0;
        do look(place, i++);
        while (advance(place, extents_));
    }
    /// All bytes, elements or not.
    std::vector<std::byte> bytes() const { return {pages_.begin(), pages_.end()}; }

    /// True when no byte beside the elements has changed. Overwrites the elements.
    bool gaps_untouched() const {
        visit([&](const Extents<rank>& place, std::int64_t) { std::memset(&at(place), canary, sizeof(T)); });
        for (const std::byte* b = pages_.begin(); b != pages_.end(); b++) {
            if (*b != std::byte{canary}) return false;
        }
        return true;
    }

private:
    static std::size_t pages_for(const Extents<rank>& extents, Layout layout) {
        std::size_t n = 1;
        const auto strides = strides_of(layout, {extents.begin(), extents.end()});
        for (std::size_t d = 0; d < rank; d++) n += std::abs(strides[d]) * std::max<std::int64_t>(extents[d] - 1, 0);
        return n * sizeof(T) + 256 + sizeof(T);
    }

    Extents<rank> extents_;
    Extents<rank> strides_{};
    GuardedPages pages_;
    T* data_ = nullptr;
};

/// Says `what` and the seed on standard error, should the program die from a stray access.
void announce(const std::string& what);

}  // namespace halogen::testing
