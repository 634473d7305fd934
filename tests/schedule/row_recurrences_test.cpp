// Recurrences along rows that know nothing of each other: several rows a step.

#include "frontend/plan/order.h"
#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

/// Fewer rows than a step has, as many, and some more; rows of one element too.
std::vector<Settings> rows_and_elements() {
    std::vector<Settings> sizes;
    for (const int b : {0, 1, 7, 8, 9, 17})
        for (const int n : {1, 2, 16, 35}) sizes.push_back({{"B", b}, {"N", n}});
    return sizes;
}

TEST(RowRecurrences, RowsAreSummedSideBySide) {
    for (const char* text : {"kernel k(X: f32[B, N]) -> Y: f32[B, N] { Y[b, 0] = X[b, 0]; "
                             "Y[b, n] = Y[b, n - 1] + X[b, n] where n in 1:N }",
                             "kernel k(X: f64[B, N], a: f64) -> Y: f64[B, N] { Y[b, N - 1] = X[b, N - 1]; "
                             "Y[b, N - 1 - n] = a*Y[b, N - n] + X[b, N - 1 - n] where n in 1:N }",
                             "kernel k(X: f32[B, N], g: f32[B]) -> Y: f32[B, N] { Y[b, n] = X[b, n]; "
                             "Y[b, n] += g[b]*Y[b, n - 1] where n in 1:N, X[b, n] > 0 }",
                             "kernel k(X: i32[B, N]) -> Y: i32[B, N] { Y[b, 0] = X[b, 0]; "
                             "Y[b, n] = max(Y[b, n - 1], X[b, n]) where n in 1:N }"})
        expect_variants_as_interpreted(text, rows_and_elements());
}

TEST(RowRecurrences, RowsOfSeveralMatricesAreToo) {
    std::vector<Settings> sizes = rows_and_elements();
    for (Settings& size : sizes) size["A"] = 3;
    expect_variants_as_interpreted(
        "kernel k(X: f32[A, B, N]) -> Y: f32[A, B, N] { Y[a, b, 0] = X[a, b, 0]; "
        "Y[a, b, n] = Y[a, b, n - 1] + X[a, b, n] where n in 1:N }",
        sizes);
}

/// Of matrices that lie along the rows; of others, which are gathered, each element is reduced by itself.
TEST(RowRecurrences, WhatAStepReducesGoesRoundItsRow) {
    const auto kernel = [](const std::string& step) {
        return "kernel k(A: f32[S, S], E: f32[T, S]) -> V: f32[T, S] { V[0, j] = E[0, j]; V[t, j] " + step +
               " where t in 1:T }";
    };
    const auto loops = [&](const std::string& step) {
        const Kernel k = kernel_of(kernel(step));
        return serial_loops(k, open_solution(k), 1);
    };
    const std::vector<std::string> along{"t", "i", "j"}, across{"t", "j", "i"};
    EXPECT_EQ(loops("max= V[t - 1, i] + A[i, j] + E[t, j]"), along);
    EXPECT_EQ(loops("+= A[j, i]*V[t - 1, i]"), across);
    std::vector<Settings> sizes;
    for (const int s : {1, 3, 16, 17, 37})
        for (const int t : {1, 2, 9}) sizes.push_back({{"S", s}, {"T", t}});
    for (const char* step :
         {"max= V[t - 1, i] + A[i, j] + E[t, j]", "+= A[i, j]*V[t - 1, i]/8", "+= A[j, i]*V[t - 1, i]/8"})
        expect_variants_as_interpreted(kernel(step), sizes);
}

}  // namespace
}  // namespace halogen
