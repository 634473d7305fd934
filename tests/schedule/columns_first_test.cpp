// Small windows reduced down the columns of an image first.

#include "frontend/plan/columns_first.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

#include <array>

namespace halogen {
namespace {

std::string equations_by_columns(const std::string& text) { return equations_after(columns_first, text); }

TEST(ColumnsFirst, ColumnsOfAWindowAreReducedAsTheyLieAndThenSteppedThrough) {
    EXPECT_EQ(equations_by_columns("kernel k(X: f32[C, H pad 1, W pad 1] else lowest) -> Y: f32[C, OH, OW] { "
                                   "Y[c, y, x] max= X[c, 2*y + r - 1, 2*x + s - 1] where r in 0:3, s in 0:3 }"),
              "Y_columns[c, y, x] = max(max(X[c, 2*y + 0 - 1, x], X[c, 2*y + 1 - 1, x]), X[c, 2*y + 2 - 1, x])\n"
              "Y[c, y, x] = max(max(Y_columns[c, y, 2*x + 0 - 1], Y_columns[c, y, 2*x + 1 - 1]), "
              "Y_columns[c, y, 2*x + 2 - 1])\n");
    EXPECT_EQ(equations_by_columns("kernel k(X: u8[H, W]) -> Y: i32[OH, OW] { "
                                   "Y[y, x] += i32(X[y + r, 2*x + s]) where r in 0:2, s in 0:3 }"),
              "Y_columns[y, x] = i32(X[y + 0, x]) + i32(X[y + 1, x])\n"
              "Y[y, x] = Y_columns[y, 2*x + 0] + Y_columns[y, 2*x + 1] + Y_columns[y, 2*x + 2]\n");
}

TEST(ColumnsFirst, WhatStandsBesideTheRowsOfTheImageStandsBesideThoseOfItsColumns) {
    const Kernel kernel = kernel_of(
        "kernel k(X: f32[H pad 2, W pad (1, 2)] else edge) -> Y: f32[OH, OW] { "
        "Y[y, x] += X[2*y + r - 2, 2*x + s - 1] where r in 0:3, s in 0:4 }");
    const auto result = columns_first(kernel, open_solution(kernel));
    ASSERT_TRUE(result);
    const Tensor& columns = result->tensor("Y_columns");
    EXPECT_EQ(columns.boundary.mode, Boundary::Mode::edge);
    ASSERT_TRUE(columns.dims);
    EXPECT_FALSE(is_padded(columns, 0));
    EXPECT_EQ((*columns.dims)[1], (*kernel.tensor("X").dims)[1]);
}

TEST(ColumnsFirst, NothingWhereRowsAreNotSteppedThroughOrColumnsNotReadAgain) {
    for (
        const char* text :
        {"kernel k(X: f32[H, W]) -> Y: f32[OH, OW] { "  // by one: what several results read is read once
         "Y[y, x] += X[2*y + i, x + j] where i in 0:3, j in 0:3 }",
         "kernel k(X: f32[H, W]) -> Y: f32[H/2, W/2] { "  // windows side by side
         "Y[y, x] += X[2*y + i, 2*x + j] where i in 0:2, j in 0:2, y in 0:H/2, x in 0:W/2 }",
         "kernel k(X: f32[H, W], F: f32[3, 3]) -> Y: f32[OH, OW] { "  // each element has a weight of its own
         "Y[y, x] += X[2*y + i, 2*x + j]*F[i, j] }",
         "kernel k(X: f32[H, W, C]) -> Y: f32[OH, OW, C] { "  // vectors of channels lie side by side
         "Y[y, x, c] max= X[2*y + i, 2*x + j, c] where i in 0:3, j in 0:3 }",
         "kernel k(X: f32[H, W]) -> Y: f32[OH, OW] { "  // a diagonal is no window
         "Y[y, x] += X[2*y + i, 2*x + i + j] where i in 0:3, j in 0:3 }",
         "kernel k(X: f32[H, W pad 1] else 1) -> Y: f32[OH, OW] { "  // beside sums stand sums of what is beside the image
         "Y[y, x] += X[2*y + i, 2*x + j - 1] where i in 0:3, j in 0:3 }",
         "kernel k(X: u8[H, W pad 1] else lowest) -> Y: i32[OH, OW] { "  // 0, and no lowest i32
         "Y[y, x] max= i32(X[2*y + i, 2*x + j - 1]) where i in 0:3, j in 0:3 }",
         "kernel k(X: f32[H, W], R: size) -> Y: f32[OH, OW] { "  // so many terms are not written out
         "Y[y, x] += X[2*y + i, 2*x + j] where i in 0:R, j in 0:R }",
         "kernel k(X: f32[H, W]) -> Y: f32[OH, OW] { "  // elements are chosen by what they are
         "Y[y, x] += X[2*y + i, 2*x + j] where i in 0:3, j in 0:3, X[2*y + i, 2*x + j] > 0 }"})
        EXPECT_EQ(equations_by_columns(text), "nothing") << text;
}

std::vector<Settings> with(std::vector<Settings> all, const Settings& more) {
    for (Settings& one : all) one.insert(more.begin(), more.end());
    return all;
}

TEST(ColumnsFirst, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int h : {3, 8, 11})
        for (const int w : {3, 4, 5, 9, 16, 33, 70}) sizes.push_back({{"H", h}, {"W", w}});
    for (const char* boundary : {"0", "reflect"})
        expect_variants_as_interpreted(std::string("kernel k(X: f32[H pad 1, W pad 1] else ") + boundary +
                                           ") -> Y: f32[OH, OW] { Y[y, x] += X[2*y + i - 1, 2*x + j - 1] "
                                           "where i in 0:3, j in 0:3 }",
                                       sizes);
    for (const char* type : {"f32", "u8"})
        expect_variants_as_interpreted(std::string("kernel k(X: ") + type +
                                           "[C, H pad 1, W pad (1, 2)] else lowest) -> Y: " + type +
                                           "[C, OH, OW] { Y[c, y, x] max= X[c, 2*y + i - 1, 3*x + j - 1] "
                                           "where i in 0:3, j in 0:4 }",
                                       with(sizes, {{"C", 3}}));
    std::vector<Settings> pools;
    for (const auto& [r, t, p] :
         {std::array{3, 2, 1}, {3, 2, 0}, {3, 1, 1}, {2, 2, 0}, {4, 2, 2}, {4, 1, 1}, {3, 3, 1}})
        for (const int w : {5, 16, 35}) pools.push_back({{"C", 2}, {"H", 7}, {"W", w}, {"R", r}, {"T", t}, {"P", p}});
    expect_variants_as_interpreted(
        "kernel k(X: f32[C, H pad P, W pad P] else lowest, R: size, T: size, P: size) -> Y: f32[C, OH, OW] { "
        "Y[c, y, x] max= X[c, T*y + r - P, T*x + s - P] where r in 0:R, s in 0:R }",
        pools);
}

}  // namespace
}  // namespace halogen
