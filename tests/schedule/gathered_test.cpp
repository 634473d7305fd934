// Points that are scattered over windows, or count through a dim, are gathered.

#include "frontend/plan/gathered.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string gathered_equations(const std::string& text) { return equations_after(gathered, text); }

TEST(Gathered, WindowsOfAPaddedInput) {
    EXPECT_EQ(
        gathered_equations("kernel k(G: f32[N, H, W, K], F: f32[R, S, C, K]) -> D: f32[N, H + R - 1, W + S - 1, C] { "
                           "D[n, y + r, x + s, c] += G[n, y, x, k]*F[r, s, c, k] }"),
        "D[n, y, x, c] += G[n, y - r, x - s, k] * F[r, s, c, k]\n");
    EXPECT_EQ(gathered_equations("kernel k(A: f32[N]) -> Y: f32[N + 2] { Y[s + i] += 2*A[i] where s in 0:3 }"),
              "Y[i] += 2*A[i - s] where s in 0:3\n");
}

TEST(Gathered, PairsThatCountThroughADim) {
    EXPECT_EQ(gathered_equations(
                  "kernel k(A: f32[I, R], B: f32[3, R]) -> Y: f32[3*I, R] { Y[i*3 + j, r] = A[i, r]*B[j, r] }"),
              "Y[i, r] = A[i/3, r] * B[i%3, r] where i in 0:I*3\n");
    EXPECT_EQ(gathered_equations(
                  "kernel k(A: f32[I, R]) -> Y: f32[I*4, R] { Y[4*i + j, r] = A[i, (r + j)%R] where j in 0:4 }"),
              "Y[i, r] = A[i/4, (r + i%4)%R] where i in 0:I*4\n");
}

TEST(Gathered, WhatIsTurnedRound) {
    EXPECT_EQ(gathered_equations("kernel k(X: f32[H, W]) -> Y: f32[W, H] { Y[W - 1 - x, H - 1 - y] = X[y, x] }"),
              "Y[x, y] = X[H - 1 - y, W - 1 - x]\n");
    EXPECT_EQ(gathered_equations("kernel k(X: f32[H, W]) -> Y: f32[H] { Y[H - y - 1] += X[y, x]*X[y, x] }"),
              "Y[y] += X[H - y - 1, x] * X[H - y - 1, x]\n");
    for (const char* text : {
             "kernel k(X: f32[H, W, 3]) -> Y: f32[W, H, 3] { Y[x, H - 1 - y, c] = X[y, x, c] }",  // pixels
             "kernel k(X: f32[H]) -> Y: f32[H + 1] { Y[H - y] = X[y] }",                          // a part
             "kernel k(X: f32[H]) -> Y: f32[H] { Y[H - 1 - y] = X[y]*y }",                        // a value
             "kernel k(X: f32[H]) -> Y: f32[H, H] { Y[y, H - 1 - y] = X[y] }",                    // of two places
         })
        EXPECT_EQ(gathered_equations(text), "nothing") << text;
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[H, W]) -> Y: f32[W, H] { Y[W - 1 - x, H - 1 - y] = X[y, x] }",
        {{{"H", 1}, {"W", 1}}, {{"H", 0}, {"W", 3}}, {{"H", 17}, {"W", 33}}, {{"H", 40}, {"W", 15}}});
}

TEST(Gathered, NothingWhereElementsHaveOtherPoints) {
    for (
        const char* text :
        {"kernel k(X: f32[N], F: f32[R]) -> Y: f32[2*N + R] { Y[2*n + r] += X[n]*F[r] }",      // steps
         "kernel k(X: f32[N], F: f32[R]) -> Y: f32 { Y[n + r] max= X[n]*F[r] }",               // zeros are no identity
         "kernel k(X: f32[N], F: f32[R]) -> Y: f32 { Y[n + r] += X[n] + F[r] }",               // no factor
         "kernel k(X: f32[N], F: f32[R]) -> Y: f32 { Y[n + r] += X[n]*F[r] where n > 2 }",     // a condition
         "kernel k(X: f32[N], F: f32[R]) -> Y: f32 { Y[n + r] += X[n]*F[r] where n in 2:N }",  // a part
         "kernel k(X: f32[N], F: f32[R]) -> Y: f32 { Y[n + r] += X[n]*X[n]*F[r]*F[r] }",       // read twice
         "kernel k(X: f32[N pad 1] else 2) -> Y: f32 { Y[n + r] += X[n] where n in 0:N, r in 0:4 }",  // padded
         "kernel k(A: f32[I, R]) -> Y: f32[2*I, R] { Y[2*i + j, r] = A[i, r]*j where j in 0:2 }",  // a value: no whole number
         "kernel k(A: f32[I, R], B: f32[J, R]) -> Y: f32[I*J, R] { Y[i*J + j, r] = A[i, r]*B[j, r] }",  // any step
         "kernel k(A: f32[I, 2]) -> Y: f32[2*I, 2] { Y[2*i + j, j] = A[i, j] }",  // not every element
         "kernel k(A: f32[I, 2]) -> Y: f32[2*I, I] { Y[2*i + j, i] = A[i, j] where j in 0:2 }",
         "kernel k(A: f32[I, R], B: f32[3, R]) -> Y: f32[2*I + 1, R] { Y[2*i + j, r] += A[i, r]*B[j, r] }"})
        EXPECT_EQ(gathered_equations(text), "nothing") << text;
}

TEST(Gathered, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int w : {1, 2, 17, 33})
        for (const int s : {1, 3, 4})
            sizes.push_back({{"N", 2}, {"C", 5}, {"H", 3}, {"W", w}, {"K", 9}, {"R", 2}, {"S", s}});
    expect_as_interpreted_on_all_legs(
        "kernel k(G: f32[N, H, W, K], F: f32[R, S, C, K]) -> D: f32[N, H + R - 1, W + S - 1, C] { "
        "D[n, y + r, x + s, c] += G[n, y, x, k]*F[r, s, c, k] }",
        sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(G: i32[N, K, H, W], F: i32[K, C, R, S]) -> D: i32[N, C, H + R - 1, W + S - 1] { "
        "D[n, c, y, x] = 3; D[n, c, y + r, x + s] += G[n, k, y, x]*F[k, c, r, s] }",
        sizes);
    sizes.clear();
    for (const int i : {0, 1, 3, 16})
        for (const int r : {1, 15, 33}) sizes.push_back({{"I", i}, {"R", r}});
    expect_as_interpreted_on_all_legs(
        "kernel k(A: f32[I, R], B: f32[3, R]) -> Y: f32[3*I, R] { Y[3*i + j, r] = A[i, r]*B[j, r] }", sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(A: u8[R, I]) -> Y: u8[2*R, 2*I] { Y[2*r + a, 2*i + b] = A[r, i] where a in 0:2, b in 0:2 }", sizes);
}

}  // namespace
}  // namespace halogen
