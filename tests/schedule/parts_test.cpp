// Assignments to parts of rows, at places such as `W + x`, element after element.

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

TEST(Parts, OfARowAreWrittenByVectors) {
    const std::string text = steps_of(
        "kernel k(X: f32[H, 2*W]) -> Y: f32[H, 2*W] { Y[y, x] = X[y, 2*x] + X[y, 2*x + 1] where x in 0:W; "
        "Y[y, W + x] = X[y, 2*x] - X[y, 2*x + 1] where x in 0:W }");
    for (const int stage : {1, 2})
        EXPECT_NE(text.find("Y." + std::to_string(stage) + " vectorize x by 8 -> x_o, x_v tail guard"),
                  std::string::npos)
            << text;
}

TEST(Parts, GiveTheValuesOfTheInterpreterAroundTheEndsOfVectors) {
    for (const char* text : {"kernel k(X: f32[H, 2*W]) -> Y: f32[H, 2*W] { "
                             "Y[y, x] = X[y, 2*x] + X[y, 2*x + 1] where x in 0:W; "
                             "Y[y, W + x] = X[y, 2*x] - X[y, 2*x + 1] where x in 0:W }",
                             "kernel k(X: u8[H, W]) -> Y: u8[H, W + 3] { "
                             "Y[y, x + 3] = X[y, x]; Y[y, x] += X[y, x]/2 where x in 0:W }"}) {
        std::vector<Settings> sizes;
        for (const int width : {0, 1, 2, 7, 8, 9, 16, 33, 70}) sizes.push_back({{"H", 3}, {"W", width}});
        expect_variants_as_interpreted(text, sizes);
    }
}

}  // namespace
}  // namespace halogen
