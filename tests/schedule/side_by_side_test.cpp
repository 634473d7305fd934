// Sums of the same rows, made in one pass.

#include "frontend/plan/side_by_side.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string equations_of(const std::string& text) { return equations_after(side_by_side, text); }

TEST(SideBySide, WhatSeveralReductionsReadIsReadOnce) {
    EXPECT_EQ(equations_of("kernel k(X: f32[M, N]) -> Y: f32[M] { S[m] += X[m, n]; Q[m] += X[m, n]*X[m, n]; "
                           "Y[m] = Q[m] - S[m]*S[m] }"),
              "S_both[m, part] += select(part == 0, X[m, n], X[m, n] * X[m, n]) where part in 0:2\n"
              "S[m] = S_both[m, 0]\n"
              "Q[m] = S_both[m, 1]\n"
              "Y[m] = Q[m] - S[m] * S[m]\n");
    EXPECT_EQ(equations_of("kernel k(A: f32[N], B: f32[N]) -> (a: f32, b: f32, c: f32) { "
                           "a[] += A[n]*A[n]; b[] += A[n]*B[n]; c[] += B[n]*B[n] }"),
              "a_both[part] += select(part == 0, A[n] * A[n], select(part == 1, A[n] * B[n], B[n] * B[n])) where part "
              "in 0:3\n"
              "a[] = a_both[0]\n"
              "b[] = a_both[1]\n"
              "c[] = a_both[2]\n")
        << "the first and the last share rows with the one between them";
}

TEST(SideBySide, ReductionsThatFollowOneAnotherStayApart) {
    for (const char* text :
         {"kernel k(X: f32[N]) -> V: f32 { S[] += X[n]; V[] += (X[n] - S[])*(X[n] - S[]) }",  // of the other's result
          "kernel k(X: f32[N]) -> V: f32 { S[] += X[n]; M[] = S[]/2; V[] += X[n]*M[] }",      // likewise
          "kernel k(X: f32[N], Z: f32[N]) -> (a: f32, b: f32) { a[] += X[n]; b[] += Z[n] }",  // of other rows
          "kernel k(X: f32[N]) -> (a: f32, b: f32) { a[] += X[n]; b[] max= X[n] }",           // of other kinds
          "kernel k(X: f32[N]) -> (a: f32, b: f64) { a[] += X[n]; b[] += f64(X[n]) }",        // of other types
          "kernel k(X: f32[N]) -> (a: f32, b: f32) { a[] += X[n]; b[] += X[n] where n in 1:N }",  // over other points
          "kernel k(X: f32[M, N]) -> (a: f32[N], b: f32[N]) { a[n] += X[m, n]; b[n] += X[m, n]*2 }",  // down columns
          "kernel k(X: f32[M, N]) -> (a: f32[M], b: f32[M]) { a[m] += X[m, n] where n <= m; b[m] += X[m, n]*2 where n "
          "<= m }",
          "kernel k(A: f32[M, K], B: f32[N, K]) -> (a: f32, b: f32) { "
          "a[i, j] += A[i, k]*B[j, k]; b[i, j] += A[i, k]*abs(B[j, k]) }"})  // products of matrices
        EXPECT_EQ(equations_of(text), "nothing") << text;
}

TEST(SideBySide, ComputeWhatEachDoes) {
    std::vector<Settings> sizes;
    for (const int m : {1, 5})
        for (const int n : {1, 15, 16, 33, 70, 1030}) sizes.push_back({{"M", m}, {"N", n}});
    for (const char* text :
         {"kernel k(X: f32[M, N], Z: f32[M, N]) -> (a: f32[M], b: f32[M], Y: f32[M, N]) { a[m] += X[m, n]; "
          "b[m] += X[m, n]*Z[m, n]; c[m] += Z[m, n]; d[m] += abs(Z[m, n]); Y[m, n] = X[m, n]*b[m] + c[m] - d[m] }",
          "kernel k(X: f32[M, N]) -> (a: f32, b: f32) { a[] max= X[m, n]; b[] max= -X[m, n] }",
          "kernel k(X: u8[M, N]) -> (a: i32[M], b: i32[M]) { a[m] += i32(X[m, n]) where m in 1:M; "
          "b[m] += i32(X[m, n])*i32(X[m, n]) where m in 1:M }"})
        expect_as_interpreted_on_all_legs(text, sizes);
}

}  // namespace
}  // namespace halogen
