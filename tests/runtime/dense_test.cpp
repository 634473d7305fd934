// Dense copies: every element there and back, and no byte beside them.

#include "halogen/kernels/scale.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace halogen {
namespace {

using detail::CallContext;
using detail::DenseTensor;

constexpr std::uint8_t canary = 0xA5;

/// A tensor among canaries, with gaps between its elements where the strides leave some.
struct Placed {
    int bytes;
    std::vector<std::int64_t> extents, strides;
    std::vector<std::uint8_t> memory;
    std::int64_t first = 64;  // element 0, in elements

    Placed(int bytes_, std::vector<std::int64_t> extents_, std::vector<std::int64_t> strides_)
        : bytes(bytes_), extents(std::move(extents_)), strides(std::move(strides_)) {
        std::int64_t up = 0;
        for (std::size_t d = 0; d < extents.size(); d++) {
            const std::int64_t reach = (extents[d] - 1) * strides[d];
            up += reach > 0 ? reach : 0;
            first -= reach < 0 ? reach : 0;
        }
        memory.assign(static_cast<std::size_t>((first + up + 65) * bytes), canary);
    }
    Buffer buffer() { return {memory.data() + first * bytes, extents.data(), strides.data()}; }

    template<typename Visit>
    void each(Visit&& visit) {
        std::vector<std::int64_t> at(extents.size(), 0);
        for (std::int64_t number = 0;; number++) {
            std::int64_t offset = first;
            for (std::size_t d = 0; d < at.size(); d++) offset += at[d] * strides[d];
            visit(number, memory.data() + offset * bytes);
            std::size_t d = at.size();
            while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
            if (d == 0) return;
        }
    }
    /// Bytes of element `number` that no other element has, as far as they reach.
    static std::uint8_t byte(std::int64_t number, int b) {
        return static_cast<std::uint8_t>((static_cast<std::uint64_t>(number) * 0x9E37'79B9'7F4A'7C15u) >>
                                         (8 * (b % 8)));
    }
    void fill() {
        each([&](std::int64_t number, std::uint8_t* element) {
            for (int b = 0; b < bytes; b++) element[b] = byte(number, b);
        });
    }
};

/// Copies a tensor of these extents and strides in, looks at the copy, changes it, and copies it out.
void round_trip(int bytes, const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
                bool reversed, bool serial) {
    const int rank = static_cast<int>(extents.size());
    Placed tensor(bytes, extents, strides), expected(bytes, extents, strides);
    tensor.fill();
    std::vector<std::int64_t> dense_strides(extents.size());
    CallContext context;
    context.serial = serial;
    const DenseTensor copy(rank, bytes, tensor.buffer(), reversed, dense_strides.data());
    ASSERT_EQ(copy.read(context), 0);
    ASSERT_NE(copy.buffer().data, tensor.buffer().data);
    auto* dense = static_cast<std::uint8_t*>(copy.buffer().data);
    std::int64_t wrong = 0;
    std::vector<std::int64_t> at(extents.size(), 0);
    expected.each([&](std::int64_t number, std::uint8_t* element) {
        std::int64_t rest = number, offset = 0;
        for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d])
            offset += rest % extents[d] * dense_strides[d];
        for (int b = 0; b < bytes; b++) {
            wrong += dense[offset * bytes + b] != Placed::byte(number, b);
            dense[offset * bytes + b] = element[b] = static_cast<std::uint8_t>(~Placed::byte(number, b));
        }
    });
    EXPECT_EQ(wrong, 0) << "read of " << bytes << " bytes, " << ::testing::PrintToString(extents);
    EXPECT_EQ(dense_strides[reversed ? 0 : extents.size() - 1], 1);
    ASSERT_EQ(copy.write(context), 0);
    EXPECT_EQ(tensor.memory, expected.memory)
        << "write of " << bytes << " bytes, " << ::testing::PrintToString(extents);
}

constexpr std::array<std::int64_t, 12> edges{1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 65};

TEST(Dense, MatricesAroundTilesAndVectors) {
    for (const int bytes : {1, 2, 4, 8})
        for (const std::int64_t m : edges)
            for (const std::int64_t n : edges) {
                round_trip(bytes, {m, n}, {1, m}, false, true);
                round_trip(bytes, {m, n}, {n, 1}, true, true);
            }
}

TEST(Dense, AnyStrides) {
    for (const int bytes : {1, 2, 4, 8}) {
        round_trip(bytes, {19, 34}, {1, 23}, false, true);   // gaps between columns
        round_trip(bytes, {19, 34}, {-1, 19}, false, true);  // from below
        round_trip(bytes, {19, 34}, {2, 38}, false, true);   // every second element
        round_trip(bytes, {19, 34}, {-34, -1}, true, true);  // turned around
        round_trip(bytes, {19, 34}, {34, 1}, false, true);   // as it was
        round_trip(bytes, {3, 17, 5}, {1, 3, 51}, false, true);
        round_trip(bytes, {3, 17, 5}, {85, 1, 17}, false, true);  // a middle dim is dense
        round_trip(bytes, {3, 17, 5}, {85, 1, 17}, true, true);
        round_trip(bytes, {2, 3, 4, 18}, {216, 1, 54, 3}, false, true);
    }
}

TEST(Dense, LargeOnesInSeveralTasks) {
    for (const bool serial : {true, false}) {
        round_trip(4, {300, 501}, {1, 300}, false, serial);
        round_trip(1, {70'001, 3}, {1, 70'001}, false, serial);
        round_trip(2, {9, 40, 333}, {1, 9, 360}, false, serial);
        round_trip(8, {3, 5, 7001}, {1, 21'003, 3}, false, serial);
    }
}

TEST(Dense, CodeThatWalksAlongADimFindsItsElementsNear) {
    const std::int64_t extents[]{40, 50}, rows[]{50, 1}, columns[]{1, 40}, repeated[]{1, 0}, backwards[]{-50, -1};
    const auto across = [&](const std::int64_t* strides, int inner) {
        return detail::lies_across(2, {nullptr, extents, strides}, inner);
    };
    EXPECT_FALSE(across(rows, 1));
    EXPECT_TRUE(across(rows, 0));
    EXPECT_TRUE(across(columns, 1));
    EXPECT_FALSE(across(backwards, 1));
    EXPECT_FALSE(across(repeated, 1));
}

}  // namespace
}  // namespace halogen
