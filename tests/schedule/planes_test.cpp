// Convolutions with channels first: vectors along the pixels of a row, or along filters where rows are short.

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

#include <tuple>

namespace halogen {
namespace {

TEST(Planes, RowsOfAnyWidthGiveTheValuesOfTheInterpreter) {
    std::vector<Settings> sizes{
        {{"N", 2}, {"C", 5}, {"K", 3}, {"H", 6}, {"W", 13}, {"R", 1}, {"S", 1}, {"D", 1}, {"P", 0}}};
    for (const int width : {0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 17})
        for (const int d : {1, 2})
            sizes.push_back({{"N", 2},
                             {"C", width == 7    ? 130
                                   : width == 14 ? 33
                                                 : 5},
                             {"K", width == 7    ? 35
                                   : width == 14 ? 70
                                                 : 3},
                             {"H", 6},
                             {"W", width},
                             {"R", 3},
                             {"S", 3},
                             {"D", d},
                             {"P", width == 0 ? 2 * d : d}});
    expect_variants_as_interpreted(
        "kernel k(X: f32[N, C, H pad P, W pad P] else 0, F: f32[K, C, R, S], D: size, P: size) -> Y: f32[N, K, OH, OW] "
        "{ "
        "Y[n, k, y, x] += X[n, c, y + D*r - P, x + D*s - P] * F[k, c, r, s] }",
        sizes);
}

// Images come in blocks that hold some thousand elements of results: of one, some, and parts of the last block.
TEST(Planes, AFilterForEachOfManyImagesGivesTheValuesOfTheInterpreter) {
    std::vector<Settings> sizes;
    for (const int step : {1, 2})
        for (const auto& [images, height, width] :
             {std::tuple{1, 1, 1}, {700, 3, 4}, {171, 7, 7}, {45, 14, 14}, {25, 33, 17}, {3, 50, 65}})
            sizes.push_back({{"N", 2}, {"C", images}, {"H", height}, {"W", width}, {"T", step}});
    expect_variants_as_interpreted(
        "kernel k(X: f32[N, C, H pad 1, W pad 1] else 0, F: f32[C, 3, 3], T: size) -> Y: f32[N, C, OH, OW] { "
        "Y[n, c, y, x] += X[n, c, T*y + r - 1, T*x + s - 1] * F[c, r, s] }",
        sizes);
}

/// Filters that lie with their taps side by side, of channels that do: they are read from a turned copy.
TEST(Planes, FiltersThatLieTurnedGiveTheValuesOfTheInterpreter) {
    std::vector<Settings> sizes;
    for (const int channels : {1, 3, 4, 16, 17, 70})
        for (const int taps : {1, 4, 5}) sizes.push_back({{"T", 9}, {"C", channels}, {"K", taps}});
    expect_variants_as_interpreted(
        "kernel k(X: f32[T pad (K - 1, 0), C] else 0, W: f32[C, K], b: f32[C]) -> Y: f32[T, C] { "
        "Z[t, c] += X[t + k - K + 1, c] * W[c, k]; Y[t, c] = max(Z[t, c] + b[c], 0) }",
        sizes);
    expect_variants_as_interpreted(
        "kernel k(X: f64[T + K - 1, C], W: f64[C pad 1, K] else 2) -> Y: f64[T, C] { "
        "Y[t, c] += X[t + k, c] * W[c - 1, k] * W[c + 1, k] where c in 0:C }",
        sizes);
}

TEST(Planes, WindowsOfFiveAndSevenGiveTheValuesOfTheInterpreter) {
    const std::vector<Settings> sizes{{{"C", 1}, {"H", 1}, {"W", 1}},
                                      {{"C", 300}, {"H", 7}, {"W", 5}},
                                      {{"C", 43}, {"H", 14}, {"W", 16}},
                                      {{"C", 4}, {"H", 37}, {"W", 50}}};
    for (const char* const text :
         {"kernel k(X: f32[C, H pad 2, W pad 2] else 0, F: f32[C, 5, 5]) -> Y: f32[C, H, W] { "
          "Y[c, y, x] += X[c, y + r - 2, x + s - 2] * F[c, r, s] }",
          "kernel k(X: f64[C, H pad 2, W pad 2] else 0, F: f64[C, 5, 5]) -> Y: f64[C, OH, OW] { "
          "Y[c, y, x] += X[c, 2*y + r - 2, 2*x + s - 2] * F[c, r, s] }",
          "kernel k(X: f32[C, H pad 3, W pad 3] else 0, F: f32[7, 7]) -> Y: f32[C, H, W] { "
          "Y[c, y, x] += X[c, y + r - 3, x + s - 3] * F[r, s] }"})
        expect_variants_as_interpreted(text, sizes);
}

}  // namespace
}  // namespace halogen
