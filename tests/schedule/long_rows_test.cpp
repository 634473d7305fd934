// Rows of many elements: a matrix times a vector, the largest of each row, windows far apart, tables.

#include "tests/schedule/rewritten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

TEST(LongRows, RunOneAtATime) {
    std::vector<Settings> sizes;
    for (const int n : {15, 16, 1023, 1024, 1025, 1100})
        for (const int m : {1, 3, 5}) sizes.push_back({{"M", m}, {"N", n}});
    for (const char* equation : {"Y[i] += A[i, j]*x[j]", "Y[i] max= A[i, j]*x[j]"})
        expect_variants_as_interpreted(
            std::string("kernel k(A: f32[M, N], x: f32[N]) -> Y: f32[M] { ") + equation + " }", sizes);
}

TEST(LongRows, WindowsThatStepFarAreRowsThatOverlap) {
    using ::testing::HasSubstr;
    using ::testing::Not;
    const std::string frames =
        "kernel k(X: f32[N], w: f32[L], S: size) -> E: f32[(N - L)/S + 1] { "
        "E[t] += X[S*t + l]*X[S*t + l]*w[l] }";
    EXPECT_THAT(steps_of(frames), HasSubstr("partial l"));
    EXPECT_THAT(steps_of("kernel k(X: f32[N]) -> E: f32[(N - 32)/5 + 1] { E[t] max= X[5*t + l] where l in 0:32 }"),
                HasSubstr("partial l"));
    EXPECT_THAT(steps_of("kernel k(X: f32[N]) -> E: f32[(N - 32)/4 + 1] { E[t] max= X[4*t + l] where l in 0:32 }"),
                Not(HasSubstr("partial l")))
        << "whole vectors hold each fourth element";
    std::vector<Settings> sizes;
    for (const int length : {1, 2, 3, 16, 37, 70})
        for (const int step : {1, 2, 7, 80})
            for (const int n : {70, 71, 230}) sizes.push_back({{"N", n}, {"L", length}, {"S", step}});
    for (const std::string& text :
         {frames,
          std::string("kernel k(X: f32[N pad 2] else 0, L: size, S: size) -> E: f32[(N + 4 - L)/S + 1] { "
                      "E[t] max= X[S*t + l - 2] where l in 0:L }"),
          std::string("kernel k(X: f64[2, N], L: size, S: size) -> E: f64[2, (N - L)/S + 1] { "
                      "M[b, t] += X[b, S*t + l]/f64(L) where l in 0:L; "
                      "E[b, t] += (X[b, S*t + l] - M[b, t])*(X[b, S*t + l] - M[b, t]) where l in 0:L }")})
        expect_variants_as_interpreted(text, sizes);
}

TEST(LongRows, ThatAllResultsShareHaveVectorsAlongTheResultsWhereThereAreMany) {
    using ::testing::HasSubstr;
    using ::testing::Not;
    const std::string nearest =
        "kernel k(P: f32[N, 2], Q: f32[K, 2]) -> D: f32[N] { "
        "D[n] min= (P[n, 0] - Q[k, 0])*(P[n, 0] - Q[k, 0]) + (P[n, 1] - Q[k, 1])*(P[n, 1] - Q[k, 1]) }";
    const std::string hull =  // by way of what is not stored
        "kernel k(P: f32[N, 2], E: f32[8, 3]) -> D: f32[N] { "
        "S[n, e] = E[e, 0]*P[n, 0] + E[e, 1]*P[n, 1] + E[e, 2]; D[n] max= S[n, e] }";
    EXPECT_THAT(steps_of(hull), Not(HasSubstr("partial"))) << "of eight edges there are no partial results";
    EXPECT_THAT(steps_of(nearest), HasSubstr("partial k")) << "for few points";
    EXPECT_THAT(steps_of(nearest), HasSubstr("registers n by 8, 4"));
    std::vector<Settings> sizes;
    for (const int n : {0, 1, 3, 8, 9, 16, 63, 64, 65})
        for (const int k : {0, 1, 63, 64, 65}) sizes.push_back({{"N", n}, {"K", k}});
    expect_variants_as_interpreted(nearest, sizes);
    expect_variants_as_interpreted(
        "kernel k(X: f64[N], C: f64[K], W: f64[K]) -> Y: f64[N] { Y[n] += W[k]*(X[n] - C[k]) where k != 2 }", sizes);
    expect_variants_as_interpreted("kernel k(X: u8[2, N], C: u8[K]) -> Y: u8[2, N] { Y[i, n] max= min(X[i, n], C[k]) }",
                                   sizes);
    sizes.clear();
    for (const int n : {0, 1, 3, 8, 9, 16, 63, 64, 65}) sizes.push_back({{"N", n}});
    expect_variants_as_interpreted(hull, sizes);
}

TEST(LongRows, OfGreatestFloatsKeepTheOrderOfTheirLoops) {
    std::vector<Settings> sizes;
    for (const int h : {1, 3, 40})
        for (const int w : {1, 17, 33}) sizes.push_back({{"H", h}, {"W", w}});
    for (const char* text : {"kernel k(X: f32[H, W, 3]) -> M: f32 { M[] max= X[y, x, c] }",
                             "kernel k(X: f32[H, W], Y: f32[W]) -> M: f32 { M[] min= Y[x] + X[y, x] }",
                             "kernel k(X: f64[H, W], Y: f64[W]) -> M: f64[2] { M[k] max= Y[x] + X[y, x] + f64(k) }"})
        expect_variants_as_interpreted(text, sizes);
}

}  // namespace
}  // namespace halogen
