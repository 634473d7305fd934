// Reductions that are scattered: the sum is made first, as a product of matrices where it is one.

#include "frontend/plan/summed.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string summed_equations(const std::string& text) { return equations_after(summed, text); }

TEST(Summed, VectorsAndRowsOfTheSumComeLast) {
    EXPECT_EQ(summed_equations("kernel k(X: f32[N, C, W], F: f32[C, K, S], T: size) -> Y: f32[N, K, T*(W - 1) + S] { "
                               "Y[n, k, T*x + s] += X[n, c, x]*F[c, k, s] }"),
              "Y_sum[n, s, k, x] += X[n, c, x] * F[c, k, s]\n"
              "Y[n, k, T*x + s] += Y_sum[n, s, k, x]\n");
    EXPECT_EQ(summed_equations("kernel k(X: f32[N, W, C], F: f32[S, C, K], T: size) -> Y: f32[N, T*(W - 1) + S, K] { "
                               "Y[n, T*x + s, k] += X[n, x, c]*F[s, c, k] }"),
              "Y_sum[n, s, x, k] += X[n, x, c] * F[s, c, k]\n"
              "Y[n, T*x + s, k] += Y_sum[n, s, x, k]\n");
}

TEST(Summed, PlacesByDataAndConditionsOnThemStayWithTheScatter) {
    EXPECT_EQ(summed_equations("kernel k(I: i32[N], W: i32[N, K], M: size) -> H: i32[M] { "
                               "H[I[n]] max= W[n, k] where I[n] > 0 }"),
              "H_sum[n] max= W[n, k] where I[n] > 0\n"
              "H[I[n]] max= H_sum[n] where I[n] > 0, K > 0\n");
}

/// Of sums without a point nobody looks at the places that data tell: they may lie anywhere.
TEST(Summed, PlacesByDataOfEmptySumsAreLeftOut) {
    EXPECT_EQ(summed_equations("kernel k(I: i32[N], W: i32[N, K], M: size) -> H: i32[M] { "
                               "H[I[n]] += W[n, k + j] where k in 1:K - 4, j in 0:3 }"),
              "H_sum[n] += W[n, k + j] where k in 1:K - 4, j in 0:3\n"
              "H[I[n]] += H_sum[n] where 1 < K - 4\n");
    EXPECT_EQ(summed_equations("kernel k(I: i32[N], W: i32[N, K], M: size) -> H: i32[M] { "
                               "H[I[n]] max= W[n, k] where I[n] > 0, k > 2 }"),
              "nothing")
        << "which sums those are stands in no condition on sizes";
    const std::string text = "kernel k(I: i32[N], W: i32[N, K], M: size) -> H: i32[M] { H[I[n]] += W[n, k] }";
    const Kernel kernel = kernel_of(text);
    HostTensor far(Type::i32, {40});
    for (std::int64_t n = 0; n < 40; n++) far.set_integer(n, (n - 20) * 50000000);
    for (const Leg& leg : all_legs())
        if (runs_here(leg))
            expect_as_interpreted(kernel,
                                  Executor(kernel, leg, {}, whole_variants(kernel, open_solution(kernel)).back()),
                                  call_of(kernel, {{"N", 40}, {"K", 0}, {"M", 3}}, {{"I", far}}));
}

TEST(Summed, WhatIsReducedToOnePlaceIsAScalar) {
    EXPECT_EQ(summed_equations("kernel k(X: f32[N]) -> S: f32[2] { S[0] += X[n]; S[1] max= X[n] where n > 2 }"),
              "S_sum[] += X[n]\n"
              "S[0] += S_sum[]\n"
              "S_sum_[] max= X[n] where n > 2\n"
              "S[1] max= S_sum_[]\n");
    std::vector<Settings> sizes;
    for (const int n : {0, 1, 15, 16, 17, 129, 1500}) sizes.push_back({{"N", n}});
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[N], G: i32[1]) -> (S: f32[4], C: i32[1]) { "
        "S[0] = 2; S[0] += X[n]; S[1] += X[n]*X[n]; S[2] max= X[n]; S[3] min= X[n] where X[n] > 0; "
        "C[0] += i32(X[n] > 0.5) }",
        sizes);
}

TEST(Summed, AProductIsWholeAndItsElementsAreChosen) {
    EXPECT_EQ(summed_equations("kernel k(A: f32[N, K], M: i32[N]) -> Y: f32[N, N] { "
                               "Y[i, j] += A[i, k]*A[j, k] where j <= i, k > 2 and M[j] > 0, k in 1:K }"),
              "Y_sum[i, j] += A[i, k] * A[j, k] where k in 1:K, k > 2\n"
              "Y[i, j] += Y_sum[i, j] where j <= i, M[j] > 0\n");
}

TEST(Summed, WhatIsAddedToAPartOfATensorIsCountedFromZero) {
    EXPECT_EQ(summed_equations("kernel k(X: f32[H, W], F: f32[3, 3]) -> Y: f32[H, W] { Y[y, x] = X[y, x]; "
                               "Y[y, x] += F[r, s]*X[y + r - 1, x + s - 1] where y in 1:H - 1, x in 1:W - 1 }"),
              "Y[y, x] = X[y, x]\n"
              "Y_sum[y, x] += F[r, s] * X[y + 1 + r - 1, x + 1 + s - 1] where y in 0:H - 1 - 1, x in 0:W - 1 - 1\n"
              "Y[y, x] += Y_sum[y - 1, x - 1] where y in 1:H - 1, x in 1:W - 1\n");
    EXPECT_EQ(summed_equations("kernel k(A: f32[M, K], B: f32[K, N], P: size) -> C: f32[M, N] { "
                               "C[i, j] += A[i, k]*B[k, j] where i in 0:P }"),
              "C_sum[i, j] += A[i, k] * B[k, j] where i in 0:P\n"
              "C[i, j] += C_sum[i, j] where i in 0:min(P, M)\n")
        << "where K is 0 a call may have more rows than there are";
    EXPECT_EQ(summed_equations("kernel k(X: f32[N, C], P: size) -> Y: f32[2*N] { "
                               "Y[2*n + p] += X[n, c] where n in P:N, p in 0:2 }"),
              "Y_sum[p, n] += X[n + P, c] where n in 0:N - P, p in 0:2\n"
              "Y[2*n + p] += Y_sum[p, n - P] where n in P:N\n");
}

TEST(Summed, PartsOfATensorComputeWhatTheOneEquationDoes) {
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[H, W], F: f32[3, 3]) -> Y: f32[H, W] { Y[y, x] = X[y, x]; "
        "Y[y, x] += F[r, s]*X[y + r - 1, x + s - 1] where y in 1:H - 1, x in 1:W - 1 }",
        {{{"H", 2}, {"W", 2}}, {{"H", 3}, {"W", 3}}, {{"H", 9}, {"W", 18}}, {{"H", 5}, {"W", 40}}});
    // Where K is 0, there may be more of them than rows.
    expect_as_interpreted_on_all_legs(
        "kernel k(A: f32[M, K], B: f32[K, N], P: size) -> C: f32[M, N] { "
        "C[i, j] = 1; C[i, j] += A[i, k]*B[k, j] where i in 0:P }",
        {{{"M", 9}, {"N", 17}, {"K", 5}, {"P", 4}},
         {{"M", 9}, {"N", 17}, {"K", 5}, {"P", 9}},
         {{"M", 4}, {"N", 3}, {"K", 0}, {"P", 70}},
         {{"M", 4}, {"N", 3}, {"K", 2}, {"P", 0}}});
}

TEST(Summed, NothingWhereItMayNotBeTakenApart) {
    for (
        const char* text :
        {"kernel k(X: f32[N, C], F: f32[C]) -> Y: f32[N] { Y[n] += X[n, c]*F[c] }",        // no scatter
         "kernel k(X: f32[N], F: f32[R]) -> Y: f32[N + R - 1] { Y[n + r] += X[n]*F[r] }",  // no sum
         "kernel k(X: f32[N, 3]) -> Y: f32[2*N] { Y[2*n] += X[n, c] }",                    // a short one
         "kernel k(X: f16[N, C]) -> Y: f16[2*N] { Y[2*n] += X[n, c] }",                    // rounds each time
         "kernel k(X: f32[N, C]) -> Y: f32[2*N] { Y[2*n] += X[n, c]*n where n in 1:N }",   // n is a value
         "kernel k(X: f32[N, C]) -> Y: f32[N] { Y[n] += X[n, c] where n < 3 }",            // no product
         "kernel k(A: f32[N, K], B: f32[N, K]) -> Y: f32 { Y[i, j] += A[i, k]*B[j, k] where k <= i }",  // mixed
         "kernel k(I: i32[N], W: f32[N, K]) -> H: f32[9] { H[I[n]] += W[n, k] where I[n]*k >= 0 }",  // a mixed condition
         "kernel k(X: f32[N, C]) -> Y: f32[N] { Y[0] = 1; Y[n] += Y[n - 1]*X[n, c] where n in 1:N }"})  // reads itself
        EXPECT_EQ(summed_equations(text), "nothing") << text;
}

TEST(Summed, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int w : {1, 2, 17, 33})
        for (const int step : {1, 2, 3})
            for (const int s : {1, 4}) sizes.push_back({{"N", 2}, {"C", 5}, {"W", w}, {"K", 9}, {"S", s}, {"T", step}});
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[N, C, W], F: f32[C, K, S], T: size) -> Y: f32[N, K, T*(W - 1) + S] { "
        "Y[n, k, T*x + s] += X[n, c, x]*F[c, k, s] }",
        sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(X: i32[N, W, C], F: i32[S, C, K], T: size) -> Y: i32[N, T*(W - 1) + S, K] { "
        "Y[n, x, k] = 3; Y[n, T*x + s, k] += X[n, x, c]*F[s, c, k] where c > 0 }",
        sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f64[N, C], B: f64[C, D], M: size) -> Y: f64[M, D] { Y[n % M, d] += X[n, c]*B[c, d] }",
        {{{"N", 7}, {"C", 9}, {"D", 18}, {"M", 3}}, {{"N", 1}, {"C", 0}, {"D", 3}, {"M", 5}}});
    sizes.clear();
    for (const int n : {0, 1, 8, 9, 33})
        for (const int k : {0, 1, 40}) sizes.push_back({{"N", n}, {"K", k}});
    expect_as_interpreted_on_all_legs(
        "kernel k(A: f32[N, K], C: f32[N, N], alpha: f32) -> Y: f32[N, N] { "
        "Y[i, j] = C[i, j] where j <= i; Y[i, j] += alpha*A[i, k]*A[j, k] where j <= i }",
        sizes);
}

}  // namespace
}  // namespace halogen
