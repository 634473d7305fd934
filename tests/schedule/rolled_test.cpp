// Rows that are rolled are written in two parts, each of what lies side by side.

#include "frontend/plan/rolled.h"

#include "tests/schedule/rewritten.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halogen {
namespace {

TEST(Rolled, ARowIsTwoParts) {
    EXPECT_EQ(equations_after(rolled,
                              "kernel k(X: f32[H, W], a: size, b: size) -> Y: f32[H, W] { "
                              "Y[i, j] = 2*X[(i + a) % H, (j + b) % W] }"),
              "Y[i, j] = 2*X[(i + a)%H, j + b%W] where j in 0:W - b%W\n"
              "Y[i, j] = 2*X[(i + a)%H, j + b%W - W] where j in W - b%W:W\n");
    EXPECT_EQ(equations_after(rolled, "kernel k(X: u8[W, 3]) -> Y: u8[W, 3] { Y[j, c] = X[(j + 1) % W, c] }"),
              "Y[j, c] = X[j + 1%W, c] where j in 0:W - 1%W\n"
              "Y[j, c] = X[j + 1%W - W, c] where j in W - 1%W:W\n");
    EXPECT_EQ(equations_after(rolled, "kernel k(X: f32[N], Z: f32[N]) -> Y: f32[N] { Y[j] = X[(j - 3) % N] + Z[j] }"),
              "Y[j] = X[j + (0 - 3)%N] + Z[j] where j in 0:N - (0 - 3)%N\n"
              "Y[j] = X[j + (0 - 3)%N - N] + Z[j] where j in N - (0 - 3)%N:N\n");
}

TEST(Rolled, WhatIsNoWholeRowRolledOnceStays) {
    for (const char* const text :
         {"kernel k(X: f32[N], M: size) -> Y: f32[M] { Y[j] = X[(j + 1) % N] }",                 // another range
          "kernel k(X: f32[N]) -> Y: f32[N] { Y[j] = X[(j + 1) % N] + X[(j + 2) % N] }",         // twice
          "kernel k(X: f32[N], F: f32[3]) -> Y: f32[N] { Y[j] += X[(j + r) % N]*F[r] }",         // a window
          "kernel k(X: f32[N], b: size) -> Y: f32[N] { Y[(j + b) % N] = X[j] where j in 0:N }",  // the result
          "kernel k(X: f32[N, M]) -> Y: f32[N, M] { Y[i, j] = X[(i + 1) % N, j] }",              // rows as they are
          "kernel k(X: f32[N]) -> Y: f32[N] { Y[j] = X[(j + 1) % N]; Y[j] += X[j] }",            // of two equations
          "kernel k(X: f32[N], t: f32) -> Y: f32[N] { Y[j] = X[(j + 1) % N] where X[j] > t }"})  // by data
        EXPECT_EQ(equations_after(rolled, text), "nothing") << text;
}

TEST(Rolled, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int width : {1, 2, 15, 16, 17, 40})
        for (const int by : {0, 1, 3, 16, 17, 95}) sizes.push_back({{"H", 3}, {"W", width}, {"b", by}});
    for (const char* const place : {"j + b", "j - b", "b + j"})
        for (const char* const type : {"f32", "u8"})
            expect_variants_as_interpreted(fmt::format("kernel k(X: {0}[H, W], Z: {0}[W], b: size) -> Y: {0}[H, W] {{ "
                                                       "Y[i, j] = X[(i + 2*b) % H, ({1}) % W] + Z[j] }}",
                                                       type, place),
                                           sizes);
    for (const char* const colours : {"2", "3"})
        expect_variants_as_interpreted(
            fmt::format(
                "kernel k(X: f32[W, {0}], H: size, b: size) -> Y: f32[W, {0}] {{ Y[j, c] = 2*X[(j + b + H) % W, c] }}",
                colours),
            sizes);
}

}  // namespace
}  // namespace halogen
