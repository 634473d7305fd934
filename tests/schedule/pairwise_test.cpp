// Sums of products of several factors, two at a time.

#include "frontend/plan/pairwise.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string pairwise_equations(const std::string& text) { return equations_after(pairwise, text); }

TEST(Pairwise, FactorsThatShareAnIndexAreSummedBeforeOthersJoinThem) {
    EXPECT_EQ(pairwise_equations("kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { "
                                 "D[i, j] += A[i, k]*B[k, l]*C[l, j] }"),
              "D_pair[k, j] += B[k, l] * C[l, j]\n"
              "D[i, j] += D_pair[k, j] * A[i, k]\n");
    EXPECT_EQ(pairwise_equations("kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { "
                                 "D[i, j] += A[i, k]*B[k, l]*C[l, j] where k in 0:K, l in 0:L, j in 0:J }"),
              "D_pair[k, j] += B[k, l] * C[l, j] where k in 0:K, l in 0:L, j in 0:J\n"
              "D[i, j] += D_pair[k, j] * A[i, k] where k in 0:K, j in 0:J\n");
    EXPECT_EQ(pairwise_equations("kernel k(X: f32[B, 8, 8], C: f32[8, 8]) -> Y: f32 { "
                                 "Y[b, u, v] += X[b, x, y]*C[u, x]*C[v, y] }"),
              "Y_pair[b, x, v] += X[b, x, y] * C[v, y]\n"
              "Y[b, u, v] += Y_pair[b, x, v] * C[u, x]\n")
        << "transforms along each dim";
    EXPECT_EQ(pairwise_equations("kernel k(A: f64[M, N], B: f64[N, N], x: f64[N]) -> y: f64 { "
                                 "y[i] += 2*A[i, k]*B[k, l]*x[l] }"),
              "y_pair[k] += B[k, l] * x[l]\n"
              "y[i] += y_pair[k]*2*A[i, k]\n")
        << "vectors first";
    EXPECT_EQ(pairwise_equations("kernel k(A: f32[M, K], b: f32[N], w: f32[L]) -> Y: f32 { "
                                 "Y[i, j] += A[i, k]*b[j]*w[l] }"),
              "Y_pair[] += w[l]\n"
              "Y[i, j] += Y_pair[] * A[i, k] * b[j]\n")
        << "sums that share nothing";
}

TEST(Pairwise, WindowsAreSummedForEachChannelBeforeChannelsAreMixed) {
    EXPECT_EQ(
        pairwise_equations("kernel k(X: f32[H, W, C], D: f32[3, 3, C], P: f32[C, F]) -> Y: f32[H - 2, W - 2, F] { "
                           "Y[y, x, f] += X[y + r, x + s, c]*D[r, s, c]*P[c, f] }"),
        "Y_pair[y, x, c] += X[y + r, x + s, c] * D[r, s, c] where y in 0:H - 2, x in 0:W - 2\n"
        "Y[y, x, f] += Y_pair[y, x, c] * P[c, f]\n");
}

TEST(Pairwise, NothingWhereOneSumIsAsGood) {
    for (const char* text : {
             "kernel k(A: f32[I, K], B: f32[K, J], s: f32[J]) -> D: f32 { D[i, j] += A[i, k]*B[k, j]*s[j] }",
             "kernel k(A: f32[I, K], B: f32[K, J]) -> D: f32 { D[i, j] += A[i, k]*B[k, j] }",
             "kernel k(R: f32[2, 2], M: f32[2, 2]) -> D: f32 { D[i, j] += R[i, a]*M[a, b]*R[j, b] }",  // few steps
             "kernel k(X: f32[I, K, L], P: f32[K, J], Q: f32[L, J]) -> Y: f32 { Y[i, j] += X[i, k, l]*P[k, j]*Q[l, j] "
             "}",
             "kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { D[i, j] max= A[i, k]*B[k, l]*C[l, j] }",
             "kernel k(A: f16[I, K], B: f16[K, L], C: f16[L, J]) -> D: f16 { D[i, j] += A[i, k]*B[k, l]*C[l, j] }",
             "kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { "  // which pairs count, data decide
             "D[i, j] += A[i, k]*B[k, l]*C[l, j] where A[i, k] > 0 }",
             "kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { "  // three times
             "D[i, j] += A[i, k]*B[k, l]*C[l, j] where t in 0:3 }",
             "kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { "  // a part of the rows
             "D[i, j] += A[i, k]*B[k, l]*C[l, j] where k in 1:K - 1 }",
         })
        EXPECT_EQ(pairwise_equations(text), "nothing") << text;
}

TEST(Pairwise, ComputesWhatTheSumDoes) {
    expect_variants_as_interpreted(
        "kernel k(A: f32[I, K], B: f32[K, L], C: f32[L, J]) -> D: f32 { "
        "D[i, j] += A[i, k]*B[k, l]*C[l, j] }",
        {{{"I", 3}, {"K", 4}, {"L", 5}, {"J", 2}}, {{"I", 19}, {"K", 1}, {"L", 17}, {"J", 33}}});
    expect_variants_as_interpreted(
        "kernel k(X: f64[B, 8, 8], C: f64[8, 8]) -> Y: f64 { "
        "Y[b, u, v] += X[b, x, y]*C[u, x]*C[v, y] }",
        {{{"B", 7}}});
}

}  // namespace
}  // namespace halogen
