// Factors of products that all elements of a row share, computed once.

#include "frontend/plan/factored.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string factored_equations(const std::string& text) { return equations_after(factored, text); }

TEST(Factored, ArithmeticOfARowIsDoneOnce) {
    EXPECT_EQ(factored_equations("kernel k(A: f32[M, K], B: f32[K, N], alpha: f32) -> Y: f32 { "
                                 "Y[i, j] += alpha*A[i, k]*B[k, j] where k in 0:K, j <= i }"),
              "Y_factor[i, k] = alpha*A[i, k] where k in 0:K\n"
              "Y[i, j] += Y_factor[i, k] * B[k, j] where k in 0:K, j <= i\n");
    EXPECT_EQ(factored_equations("kernel k(A: f32[K, M], d: f32[M], B: f32[K, N]) -> Y: f32 { "
                                 "Y[i, j] += B[k, j]*(exp(A[k, i]) - d[i]) }"),
              "Y_factor[k, i] = exp(A[k, i]) - d[i]\n"
              "Y[i, j] += B[k, j] * Y_factor[k, i]\n");
}

TEST(Factored, ATensorIsReadAtOnePlaceOfAProduct) {
    EXPECT_EQ(factored_equations("Y[i, j] += A[i, k]*A[j, k]"),
              "Y_factor[i, k] = A[i, k]\n"
              "Y[i, j] += Y_factor[i, k] * A[j, k]\n");
}

TEST(Factored, NothingWhereNoFactorIsUsedAgain) {
    for (
        const char* text :
        {"Y[i, j] += A[i, k]*B[k, j]",                                                                 // no arithmetic
         "kernel k(A: u8[M, K], B: i8[K, N]) -> Y: i32 { Y[i, j] += i32(A[i, k])*i32(B[k, j]) }",      // a conversion
         "kernel k(A: f32[M, K], x: f32[K], a: f32) -> Y: f32 { Y[i] += a*A[i, k]*x[k] }",             // no rows
         "kernel k(A: f32[M, K], B: f32[K, N], a: f32) -> Y: f32 { Y[i, j] += A[i, k]*(a*B[k, j]) }",  // of each element
         "kernel k(A: f32[M], d: f32[K], B: f32[K, N]) -> Y: f32 { Y[i, j] += A[i]*d[k]*B[k, j] }",    // larger than it
         "kernel k(A: f16[M, K], B: f16[K, N], a: f16) -> Y: f16 { Y[i, j] += a*A[i, k]*B[k, j] }",    // would round
         "kernel k(X: f32[C, W], F: f32[K, C, S], a: f32) -> Y: f32 { Y[k, x] += a*F[k, c, s] + X[c, x + s] }",
         "kernel k(X: f32[N, 3]) -> C: f32 { C[i, j] += X[n, i]*X[n, j] }",  // a result of few elements
         "kernel k(X: f32[N], F: f32[S, C], a: f32) -> Y: f32 { Y[y, c] += a*X[y + s]*F[s, c] }"})  // a window
        EXPECT_EQ(factored_equations(text), "nothing") << text;
}

TEST(Factored, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int m : {0, 1, 8, 17})
        for (const int k : {0, 1, 33}) sizes.push_back({{"B", 2}, {"M", m}, {"N", 19}, {"K", k}});
    expect_as_interpreted_on_all_legs(
        "kernel k(A: f64[B, M, K], C: f64[B, N, K], d: f64[K], a: f64) -> Y: f64 { "
        "Y[b, i, j] += (a*A[b, i, k] + d[k])*C[b, j, k] }",
        sizes);
}

}  // namespace
}  // namespace halogen
