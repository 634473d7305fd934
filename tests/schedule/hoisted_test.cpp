// Slow functions of few indices, computed before the loops of the others.

#include "frontend/plan/hoisted.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string hoisted_equations(const std::string& text) { return equations_after(hoisted, text); }

TEST(Hoisted, AFunctionThatALoopAroundDoesNotMoveIsComputedOnce) {
    EXPECT_EQ(hoisted_equations("Y[t, h, i] = X[t, h, i]*cos(A[t, i]) - 1"),
              "Y_part[t, i] = cos(A[t, i])\n"
              "Y[t, h, i] = X[t, h, i] * Y_part[t, i] - 1\n");
    EXPECT_EQ(hoisted_equations("kernel k(X: f32[M, N], a: f32[N], F: size) -> Y: f32[M, N] { "
                                "Y[i, j] += X[i, j]*exp(2*a[j]) where j in 0:F, X[i, j] > 0 }"),
              "Y_part[j] = exp(2*a[j]) where j in 0:F\n"
              "Y[i, j] += X[i, j] * Y_part[j] where j in 0:F, X[i, j] > 0\n");
}

TEST(Hoisted, AFunctionOfWhatIsReducedIsComputedOnce) {
    EXPECT_EQ(hoisted_equations("Y[i] += X[i, k]*exp(a[k])"),
              "Y_part[k] = exp(a[k])\n"
              "Y[i] += X[i, k] * Y_part[k]\n");
    EXPECT_EQ(hoisted_equations("Y[i, e] += exp(Z[i, j] - M[i])*V[j, e]/S[i]"),
              "Y_part[i, j] = exp(Z[i, j] - M[i])\n"
              "Y[i, e] += Y_part[i, j] * V[j, e] / S[i]\n");
    for (const char* text :
         {"Y[i] += exp(X[i, k])*a[k]",                               // of each term
          "Y[i] += X[i, k]*abs(a[k])",                               // little
          "Y[i, e] += exp(Z[i, j])*V[j, e] where abs(i - j) <= 3"})  // of fewer terms than there are values
        EXPECT_EQ(hoisted_equations(text), "nothing") << text;
    std::vector<Settings> sizes;
    for (const int m : {0, 1, 5, 20})
        for (const int n : {0, 1, 16, 35}) sizes.push_back({{"M", m}, {"N", n}});
    for (const char* text : {"kernel k(X: f32[M, N], A: f32[N]) -> Y: f32 { Y[i] += X[i, k]*exp(A[k]) }",
                             "kernel k(X: f64[N, M], A: f64[N]) -> Y: f64 { Y[i] min= X[k, i] - sqrt(abs(A[k])) }",
                             "kernel k(Z: f32[M, N], S: f32[M], V: f32[N, 7]) -> Y: f32 { "
                             "Y[i, e] += exp(Z[i, j] - S[i])*V[j, e]/(abs(S[i]) + 1) }"})
        expect_as_interpreted_on_all_legs(text, sizes);
}

TEST(Hoisted, WhatStandsAroundAFunctionGoesWithIt) {
    EXPECT_EQ(hoisted_equations("Y[i, j] = (X[i, j] - m[j])*(g[j]/sqrt(v[j] + 0.001)) + b[j]"),
              "Y_part[j] = g[j]/sqrt(v[j] + 0.001)\n"
              "Y[i, j] = (X[i, j] - m[j])*Y_part[j] + b[j]\n");
}

TEST(Hoisted, QuotientsOfARowAreComputedOnce) {
    EXPECT_EQ(hoisted_equations("Y[i, j] = X[i, j] - s[j]/3"),
              "Y_part[j] = s[j]/3\n"
              "Y[i, j] = X[i, j] - Y_part[j]\n");
    EXPECT_EQ(hoisted_equations("kernel k(X: i32[M, N], s: i32[N]) -> Y: i32 { Y[i, j] = X[i, j] - s[j]/3 }"),
              "nothing");
}

TEST(Hoisted, OneFunctionOfAnEquationAtATime) {
    const Kernel kernel = kernel_of("Y[t, h, i] = X[t, h, i]*cos(A[t, i]) + sin(A[t, i])");
    const auto once = hoisted(kernel, open_solution(kernel));
    ASSERT_TRUE(once);
    const auto twice = hoisted(*once, open_solution(*once));
    ASSERT_TRUE(twice);
    EXPECT_EQ(print(twice->equations.back()), "Y[t, h, i] = X[t, h, i] * Y_part[t, i] + Y_part_[t, i]");
    EXPECT_EQ(hoisted(*twice, open_solution(*twice)), std::nullopt);
}

TEST(Hoisted, NothingWhereEachIsComputedOnceOrCostsLittle) {
    for (const char* text :
         {"Y[i, j] = exp(X[i, j])*a[j]",                                                   // of each element
          "Y[i, j] = X[i, j]*exp(a[i])",                                                   // of a row: compilers do it
          "Y[i, j] = X[i, j]*abs(a[j])",                                                   // little
          "Y[b, i, j] = X[b, i, j]*(a[i, j]/c[i, j])",                                     // a tensor of quotients
          "Y[i, j] = X[i, j]*exp(a[j + 1])",                                               // at no plain index
          "kernel k(X: f16[M, N], a: f16[N]) -> Y: f16 { Y[i, j] = X[i, j]*exp(a[j]) }"})  // would round
        EXPECT_EQ(hoisted_equations(text), "nothing") << text;
}

TEST(Hoisted, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int h : {0, 1, 3})
        for (const int d : {0, 2, 16, 34}) sizes.push_back({{"T", 5}, {"H", h}, {"D", d}});
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[T, H, D], A: f32[T, D/2]) -> Y: f32[T, H, D] where D % 2 == 0 { let F = D/2; "
        "Y[t, h, i] = X[t, h, i]*cos(A[t, i]) - X[t, h, i + F]*sin(A[t, i]) where i in 0:F; "
        "Y[t, h, i + F] = X[t, h, i]*sin(A[t, i]) + X[t, h, i + F]*cos(A[t, i]) where i in 0:F }",
        sizes);
}

}  // namespace
}  // namespace halogen
