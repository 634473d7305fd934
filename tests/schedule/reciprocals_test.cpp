// Terms of sums multiplied by reciprocals.

#include "frontend/plan/reciprocals.h"

#include "tests/schedule/rewritten.h"

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
