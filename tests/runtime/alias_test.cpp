// Whether tensors share memory: named cases one can check by hand, then random ones against counting every byte.

#include "runtime/alias.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <vector>

namespace halogen::detail {
namespace {

Footprint tensor(std::intptr_t address, int element, const std::vector<std::int64_t>& extents,
                 const std::vector<std::int64_t>& strides) {
    Footprint f;
    f.address = address;
    f.element = element;
    f.dims = static_cast<int>(extents.size());
    for (std::size_t d = 0; d < extents.size(); d++) f.extent[d] = extents[d], f.stride[d] = strides[d] * element;
    return f;
}

constexpr std::intptr_t base = 0x10000;

TEST(Alias, NeighboursInMemoryShareNothing) {
    EXPECT_EQ(sharing(tensor(base, 4, {8}, {1}), tensor(base + 32, 4, {8}, {1})), Sharing::none);
    EXPECT_EQ(sharing(tensor(base, 4, {8}, {1}), tensor(base + 28, 4, {8}, {1})), Sharing::some);
    EXPECT_EQ(sharing(tensor(base, 4, {8}, {1}), tensor(base + 31, 4, {8}, {1})),
              Sharing::some);  // one byte of a float
}

TEST(Alias, TwoHalvesOfTheColumnsOfAMatrixShareNothing) {
    const auto left = tensor(base, 4, {100, 32}, {64, 1}), right = tensor(base + 4 * 32, 4, {100, 32}, {64, 1});
    EXPECT_EQ(sharing(left, right), Sharing::none);
    const auto wide = tensor(base, 4, {100, 33}, {64, 1});
    EXPECT_EQ(sharing(wide, right), Sharing::some);
}

TEST(Alias, ThePlanesOfAnInterleavedPictureShareNothing) {
    const auto red = tensor(base, 1, {480, 640}, {640 * 3, 3}), green = tensor(base + 1, 1, {480, 640}, {640 * 3, 3});
    EXPECT_EQ(sharing(red, green), Sharing::none);
    EXPECT_EQ(sharing(red, red), Sharing::some);
}

TEST(Alias, AMatrixAndItsTransposeShareEverything) {
    EXPECT_EQ(sharing(tensor(base, 8, {5, 7}, {7, 1}), tensor(base, 8, {7, 5}, {1, 7})), Sharing::some);
}

TEST(Alias, ReversedStridesReachBackwards) {
    EXPECT_EQ(sharing(tensor(base + 28, 4, {8}, {-1}), tensor(base, 4, {1}, {1})), Sharing::some);
    EXPECT_EQ(sharing(tensor(base + 28, 4, {8}, {-1}), tensor(base + 32, 4, {8}, {1})), Sharing::none);
}

TEST(Alias, AnEmptyTensorSharesNothing) {
    EXPECT_EQ(sharing(tensor(base, 4, {0, 5}, {5, 1}), tensor(base, 4, {5, 5}, {5, 1})), Sharing::none);
    EXPECT_EQ(self_sharing(tensor(base, 4, {0, 5}, {0, 0})), Sharing::none);
}

TEST(Alias, AlternateElementsOfALongVectorShareNothing) {  // a billion elements: nothing is enumerated
    const std::int64_t n = 1'000'000'000;
    EXPECT_EQ(sharing(tensor(base, 4, {n}, {2}), tensor(base + 4, 4, {n}, {2})), Sharing::none);
    EXPECT_EQ(sharing(tensor(base, 4, {n}, {2}), tensor(base + 4, 4, {n}, {3})), Sharing::some);
}

TEST(Alias, StrideZeroSharesWithItself) {
    EXPECT_EQ(self_sharing(tensor(base, 4, {3, 4}, {0, 1})), Sharing::some);
    EXPECT_EQ(self_sharing(tensor(base, 4, {1, 4}, {0, 1})), Sharing::none);
}

TEST(Alias, OverlappingStridesShareWithThemselves) {
    EXPECT_EQ(self_sharing(tensor(base, 4, {3, 4}, {2, 1})), Sharing::some);  // a sliding window
    EXPECT_EQ(self_sharing(tensor(base, 4, {3, 4}, {4, 1})), Sharing::none);
    EXPECT_EQ(self_sharing(tensor(base, 4, {3, 4}, {1, -3})), Sharing::none);  // column-major, reversed
    EXPECT_EQ(self_sharing(tensor(base, 4, {2, 3}, {3, 2})), Sharing::none);   // 0 2 4 and 3 5 7: not nested, yet apart
    EXPECT_EQ(self_sharing(tensor(base, 4, {3, 3}, {3, 2})), Sharing::none);   // 6 = 3*2 has 0..2 * 2 at most 4
    EXPECT_EQ(self_sharing(tensor(base, 4, {3, 4}, {3, 2})), Sharing::some);   // 2*3 = 3*2
}

std::vector<std::intptr_t> places(const Footprint& f) {
    std::vector<std::intptr_t> out{f.address};
    for (int d = 0; d < f.dims; d++) {
        std::vector<std::intptr_t> next;
        for (auto place : out) {
            for (std::int64_t i = 0; i < f.extent[static_cast<std::size_t>(d)]; i++)
                next.push_back(place + i * f.stride[static_cast<std::size_t>(d)]);
        }
        out = next;
    }
    return out;
}

std::set<std::intptr_t> bytes(const Footprint& f) {
    std::set<std::intptr_t> out;
    for (auto place : places(f)) {
        for (int b = 0; b < f.element; b++) out.insert(place + b);
    }
    return out;
}

bool counted_self_sharing(const Footprint& f) {
    return bytes(f).size() != places(f).size() * static_cast<std::size_t>(f.element);
}

bool counted_sharing(const Footprint& a, const Footprint& b) {
    const auto in_a = bytes(a);
    for (auto byte : bytes(b)) {
        if (in_a.count(byte)) return true;
    }
    return false;
}

TEST(Alias, RandomTensorsAgreeWithCountingBytes) {
    const char* given = std::getenv("HALOGEN_SEED");
    const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : 20240611u;
    std::cout << "HALOGEN_SEED=" << seed << "\n";
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    const auto some_tensor = [&] {
        std::vector<std::int64_t> extents, strides;
        const int rank = pick(0, 4);
        for (int d = 0; d < rank; d++) {
            extents.push_back(pick(0, 12) == 0 ? 0 : pick(1, 5));
            strides.push_back(pick(-14, 14));
        }
        const int element = 1 << pick(0, 3);
        return tensor(base + pick(-60, 60), element, extents, strides);
    };
    int shared = 0, apart = 0;
    for (int i = 0; i < 20000; i++) {
        const Footprint a = some_tensor(), b = some_tensor();
        const bool counted = counted_sharing(a, b);
        (counted ? shared : apart)++;
        ASSERT_EQ(sharing(a, b), counted ? Sharing::some : Sharing::none) << "case " << i;
        ASSERT_EQ(self_sharing(a), counted_self_sharing(a) ? Sharing::some : Sharing::none) << "case " << i;
    }
    EXPECT_GT(shared, 1000);
    EXPECT_GT(apart, 1000);
}

}  // namespace
}  // namespace halogen::detail
