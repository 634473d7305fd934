// Which code a call runs, and on which memory, by the order in which its tensors lie.

#include "halogen/kernels/running.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace halogen {
namespace {

using detail::KernelInfo;
using detail::LegInfo;

/// What compiled code was given, dim 0 of Halide first.
struct Seen {
    std::string code;
    std::vector<int> strides_of_x, strides_of_y;
    const void* x = nullptr;
    int extent_of_z = 0;
} seen;

std::vector<int> strides_of(const halide_buffer_t& b) { return {b.dim[0].stride, b.dim[1].stride}; }

/// Arguments: context, X, K, the extent of Z, Y, Z.
int look(const char* code, void** arguments) {
    const auto& x = *static_cast<halide_buffer_t*>(arguments[1]);
    seen = {code, strides_of(x), strides_of(*static_cast<halide_buffer_t*>(arguments[4])), x.host,
            *static_cast<std::int32_t*>(arguments[3])};
    return 0;
}
int straight(void** arguments) { return look("straight", arguments); }
int reversed(void** arguments) { return look("reversed", arguments); }

constexpr std::int64_t M = 40, N = 60, Q = 5;

/// A tensor of i32; `columns` first, or rows first.
struct Matrix {
    std::array<std::int64_t, 2> extents, strides;
    std::vector<std::int32_t> memory;
    Matrix(std::int64_t m, std::int64_t n, bool columns)
        : extents{m, n}, strides{columns ? 1 : n, columns ? m : 1}, memory(static_cast<std::size_t>(m * n), 0) {}
    std::int32_t& at(std::int64_t i, std::int64_t j) {
        return memory[static_cast<std::size_t>(i * strides[0] + j * strides[1])];
    }
    Buffer buffer() { return {memory.data(), extents.data(), strides.data()}; }
    View<std::int32_t, 2> view() { return {memory.data(), extents, strides}; }
};

Status call(const KernelInfo& info, Matrix& x, Matrix& y, Matrix& z) {
    return detail::run<6, 3, 1, 0>(info, {x.buffer(), y.buffer(), z.buffer()}, {3}, {}, {.threads = 1});
}

/// `running` with code that only looks.
KernelInfo looking(const LegInfo& leg) {
    KernelInfo info = kernels::running_detail::info;
    info.legs = &leg;
    info.leg_count = 1;
    return info;
}
constexpr LegInfo both{cpu::Leg::sse41, false, &straight, nullptr, &reversed};
constexpr LegInfo one{cpu::Leg::sse41, false, &straight, nullptr};

TEST(Orders, RowsRunTheCodeOfTheKernel) {
    Matrix x(M, N, false), y(M, N, false), z(M, Q, false);
    ASSERT_TRUE(call(looking(both), x, y, z));
    EXPECT_EQ(seen.code, "straight");
    EXPECT_EQ(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{1, N}));
    EXPECT_EQ(seen.extent_of_z, Q);
}

TEST(Orders, ColumnsRunTheCodeOfTheReversedKernelOnTheCallersMemory) {
    Matrix x(M, N, true), y(M, N, true), z(M, Q, true);
    ASSERT_TRUE(call(looking(both), x, y, z));
    EXPECT_EQ(seen.code, "reversed");
    EXPECT_EQ(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{1, M}));
    EXPECT_EQ(seen.extent_of_z, Q);
}

TEST(Orders, ATensorCountsByItsElementsForTheWayItLies) {
    const auto by_columns = [](const std::array<std::int64_t, 3>& extents, const std::array<std::int64_t, 3>& strides) {
        return detail::elements_by_columns(3, {nullptr, extents.data(), strides.data()});
    };
    EXPECT_EQ(by_columns({3, 4, 5}, {1, 3, 12}), 60);
    EXPECT_EQ(by_columns({3, 4, 5}, {20, 5, 1}), -60);
    EXPECT_EQ(by_columns({1, 40, 60}, {2400, 60, 1}), -2400);
    EXPECT_EQ(by_columns({1, 40, 60}, {1, 1, 40}), -2400) << "nothing lies beside another along a dim of one";
    EXPECT_EQ(by_columns({40, 60, 1}, {1, 40, 1}), 0);
    EXPECT_EQ(by_columns({3, 0, 5}, {1, 3, 0}), 0);
}

TEST(Orders, ColumnsRunTheOnlyCodeThereIs) {
    Matrix x(M, N, true), y(M, N, true), z(M, Q, true);
    ASSERT_TRUE(call(looking(one), x, y, z));
    EXPECT_EQ(seen.code, "straight");
    EXPECT_EQ(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{M, 1}));
}

TEST(Orders, WhatLiesOtherwiseThanMostIsWorkedOnInADenseCopy) {
    Matrix x(M, N, true), y(M, N, false), z(M, Q, false);
    ASSERT_TRUE(call(looking(both), x, y, z));
    EXPECT_EQ(seen.code, "straight");
    EXPECT_NE(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{1, N}));
    Matrix x2(M, N, true), y2(M, N, false), z2(M, Q + 2000, true);
    ASSERT_TRUE(call(looking(both), x2, y2, z2));
    EXPECT_EQ(seen.code, "reversed");
    EXPECT_EQ(seen.x, x2.memory.data());
    EXPECT_EQ(seen.strides_of_y, (std::vector<int>{1, M}));
}

TEST(Orders, ColumnsAreCopiedWhereThereIsNoCodeForThem) {
    KernelInfo info = looking(one);
    info.rows_only = true;
    Matrix x(M, N, true), y(M, N, true), z(M, Q, true);
    ASSERT_TRUE(call(info, x, y, z));
    EXPECT_NE(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{1, N}));
    EXPECT_EQ(seen.strides_of_y, (std::vector<int>{1, N}));
}

TEST(Orders, AnInputFarLargerThanTheOutputsIsNotCopied) {
    KernelInfo info = looking(one);
    info.guards = [](const Buffer*, const std::int64_t*) { return Status(); };
    Matrix x(M, N, true), y(M, 7, false), z(M, Q, false);
    ASSERT_TRUE(call(info, x, y, z));
    EXPECT_EQ(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{M, 1}));
}

TEST(Orders, AFewElementsAreCopiedForManyResultsButNotForFew) {
    KernelInfo info = looking(one);
    info.guards = [](const Buffer*, const std::int64_t*) { return Status(); };
    Matrix x(4, 5, true), y(M, N, false), few(4, N, false), z(4, Q, false);
    ASSERT_TRUE(call(info, x, y, z));
    EXPECT_NE(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{1, 5}));
    ASSERT_TRUE(call(info, x, few, z));
    EXPECT_EQ(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{4, 1}));
}

TEST(Orders, ATensorThatRepeatsItsElementsIsNotCopied) {
    Matrix x(M, N, true), y(M, N, false), z(M, Q, false);
    x.strides[1] = 0;
    ASSERT_TRUE(call(looking(both), x, y, z));
    EXPECT_EQ(seen.x, x.memory.data());
    EXPECT_EQ(seen.strides_of_x, (std::vector<int>{0, 1}));
}

TEST(Orders, EveryMixtureGivesTheSameNumbers) {
    for (const std::int64_t m : {1, 7, 16, 33, 70})
        for (const std::int64_t n : {1, 8, 17, 65})
            for (int choice = 0; choice < 8; choice++) {
                Matrix x(m, n, choice & 1), y(m, n, choice & 2), z(m, Q, choice & 4);
                for (std::int64_t i = 0; i < m; i++)
                    for (std::int64_t j = 0; j < n; j++) x.at(i, j) = static_cast<std::int32_t>(100 * i + j);
                const Status status = kernels::running(x.view(), y.view(), z.view(), {.K = 3});
                ASSERT_TRUE(status) << status.message();
                for (std::int64_t i = 0; i < m; i++) {
                    for (std::int64_t j = 0; j < n; j++)
                        ASSERT_EQ(y.at(i, j), 100 * i * (j + 1) + j * (j + 1) / 2) << m << "x" << n;
                    for (std::int64_t q = 0; q < Q; q++) ASSERT_EQ(z.at(i, q), 100 * i + 3 * q) << m << "x" << n;
                }
            }
}

}  // namespace
}  // namespace halogen
