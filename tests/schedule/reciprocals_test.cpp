// Terms of sums multiplied by reciprocals.

#include "frontend/plan/reciprocals.h"

#include "tests/schedule/rewritten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string equations_of(const std::string& text) { return equations_after(with_reciprocals, text); }

TEST(Reciprocals, OneDivisionServesAllTermsOfASum) {
    EXPECT_EQ(equations_of("kernel k(X: f32[N, K]) -> V: f32[K] { V[k] += X[n, k]*X[n, k]/f32(N) }"),
              "V[k] += X[n, k]*X[n, k]*(1/f32(N))\n");
    EXPECT_EQ(equations_of("kernel k(X: f64[N, K]) -> V: f64 { V[] += (X[n, k] + 1)/f64(N*K - 1) }"),
              "V[] += (X[n, k] + 1)*(1/f64(N*K - 1))\n");
    EXPECT_EQ(equations_of("kernel k(X: f32[N, 3]) -> G: f32[N] { G[n] += X[n, c]/3 }"), "G[n] += X[n, c]*(1/3)\n");
}

TEST(Reciprocals, OfAProductTheFactorAlongRowsTakesIt) {
    for (const char* product : {"Z[n, i]*Z[n, j]", "Z[n, j]*Z[n, i]"})
        EXPECT_EQ(equations_of(std::string("kernel k(Z: f32[N, K]) -> C: f32[K, K] { C[i, j] += ") + product +
                               "/f32(N - 1) }"),
                  "C[i, j] += Z[n, i]*(1/f32(N - 1))*Z[n, j]\n")
            << product;
}

TEST(Reciprocals, NothingWhereTheyMayBeInexactOrAreNotShared) {
    for (const char* text : {"kernel k(X: f32[N], s: f32) -> Y: f32 { Y[] += X[n]/s }",        // of any size
                             "kernel k(X: f32[N], D: f32[N]) -> Y: f32 { Y[] += X[n]/D[n] }",  // of each term
                             "kernel k(X: f32[N]) -> Y: f32 { Y[] += X[n]/f32(n + 1) }",       // likewise
                             "kernel k(X: f32[N]) -> Y: f32 { Y[] += X[n]/1e-40 }",            // not a normal number
                             "kernel k(X: i32[N]) -> Y: i32 { Y[] += X[n]/N }",                // of integers
                             "kernel k(X: f16[N]) -> Y: f16 { Y[] += X[n]/f16(N) }",           // would round
                             "kernel k(X: f32[N]) -> Y: f32 { Y[n] = X[n]/f32(N) }",           // no sum
                             "kernel k(X: f32[N]) -> Y: f32 { Y[] max= X[n]/f32(N) }"})        // likewise
        EXPECT_EQ(equations_of(text), "nothing") << text;
}

constexpr const char* softmax =
    "kernel k(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; ";

TEST(Reciprocals, OfTheSumOfASoftmaxServeItsRow) {
    EXPECT_THAT(equations_of(std::string(softmax) + "Y[b, n] = E[b, n]/S[b] }"),
                ::testing::EndsWith("Y[b, n] = E[b, n]*(1/S[b])\n"));
    EXPECT_THAT(equations_of("kernel k(X: f64[N, B]) -> Y: f64 { M[b] max= X[n, b]*2; S[b] += exp(X[n, b]*2 - M[b]); "
                             "Y[b, n] = (X[n, b] + 1)/S[b] }"),
                ::testing::EndsWith("Y[b, n] = (X[n, b] + 1)*(1/S[b])\n"));
}

TEST(Reciprocals, OfRootsServeTheirRow) {
    EXPECT_EQ(equations_of("kernel k(X: f32[N]) -> Y: f32[N] { S[] += X[n] * X[n]; Y[n] = X[n]/sqrt(S[]) }"),
              "S[] += X[n] * X[n]\nY[n] = X[n]*(1/sqrt(S[]))\n");
    EXPECT_EQ(equations_of("kernel k(X: f32[B, N], V: f32[B]) -> Y: f32 { D[b] = sqrt(V[b]); Y[b, n] = X[b, n]/D[b] }"),
              "D[b] = sqrt(V[b])\nY[b, n] = X[b, n]*(1/D[b])\n");
}

TEST(Reciprocals, NothingWhereTheSumMayBeSmallOrMovesAlongTheRow) {
    for (const char* rest :
         {"Y[n, b] = E[b, n]/S[b] }",                                   // of each element
          "T[n] += E[b, n]; Y[b, n] = E[b, n]/T[n] }",                  // likewise
          "T[b] += E[b, n] where n in 1:N; Y[b, n] = E[b, n]/T[b] }",   // the largest may be left out
          "T[b] += E[b, n]*X[b, n]; Y[b, n] = E[b, n]/T[b] }",          // may be none of the terms
          "T[n] += E[b, n]; Y[b, n] = E[n, b]/T[b] }",                  // of several rows, whose largest are others
          "T[] += E[b, b]; Y[b, n] = E[b, n]/T[] }",                    // of some elements of each
          "T[b] = E[b, 0]; T[b] += E[b, n]; Y[b, n] = E[b, n]/T[b] }",  // begins with another number
          "F[b, n] = exp(X[b, n]); T[b] += F[b, n]; Y[b, n] = F[b, n]/T[b] }"})  // of numbers of any size
        EXPECT_EQ(equations_of(std::string(softmax) + rest), "nothing") << rest;
}

TEST(Reciprocals, OfRowsComputeWhatQuotientsDo) {
    std::vector<Settings> sizes;
    for (const int n : {1, 7, 40}) sizes.push_back({{"B", 3}, {"N", n}});
    expect_as_interpreted_on_all_legs(std::string(softmax) + "Y[b, n] = E[b, n]/S[b] }", sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[B, N]) -> Y: f32 { S[b] += X[b, n]*X[b, n]; Y[b, n] = X[b, n]/sqrt(S[b] + 1) }", sizes);
}

TEST(Reciprocals, ComputeWhatQuotientsDo) {
    std::vector<Settings> sizes;
    for (const int n : {1, 2, 17})
        for (const int k : {0, 1, 20}) sizes.push_back({{"N", n}, {"K", k}});
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[N, K]) -> C: f32[K, K] { M[i] += X[n, i]/f32(N); Z[n, i] = X[n, i] - M[i]; "
        "C[i, j] += Z[n, i]*Z[n, j]/f32(N + 1) }",
        sizes);
}

}  // namespace
}  // namespace halogen
