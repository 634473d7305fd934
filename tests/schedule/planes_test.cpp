// Convolutions with channels first: vectors along the pixels of a row, or along filters where rows are short.

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

TEST(Planes, RowsOfAnyWidthGiveTheValuesOfTheInterpreter) {
    std::vector<Settings> sizes;
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

}  // namespace
}  // namespace halogen
