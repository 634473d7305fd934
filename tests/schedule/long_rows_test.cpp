// Rows of many elements: a matrix times a vector, the largest of each row, windows far apart.

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

}  // namespace
}  // namespace halogen
