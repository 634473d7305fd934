// Elements at new places: pixels from channels, channels from pixels, and what is read of them at an offset.

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

const std::string space_to_depth =
    "kernel k(X: f32[C, 2*H, 2*W]) -> Y: f32[4*C, H, W] { Y[k, y, x] = X[k/4, 2*y + (k/2)%2, 2*x + k%2] }";

TEST(Rearranged, PlacesThatAreBentByOtherIndicesAreStillSteppedThrough) {
    const std::string steps = steps_of(space_to_depth);
    EXPECT_NE(steps.find("specialize when stride(Y, 2) == 1 and stride(X, 2) == 1 and"), std::string::npos) << steps;
}

TEST(Rearranged, GivesTheInterpretersValues) {
    std::vector<Settings> sizes;
    for (const int w : {1, 2, 3, 8, 17, 33}) sizes.push_back({{"C", 2}, {"H", 3}, {"W", w}});
    expect_variants_as_interpreted(space_to_depth, sizes);
    expect_variants_as_interpreted(
        "kernel k(X: f32[4*C, H, W]) -> Y: f32[C, 2*H, 2*W] { Y[c, y, x] = X[4*c + 2*(y%2) + x%2, y/2, x/2] }", sizes);
    for (Settings& size : sizes) size.emplace("P", 1);
    expect_variants_as_interpreted(
        "kernel k(X: f32[4*C, H, W], P: size) -> Y: f32[C, 2*H - 2*P, 2*W - 2*P] { "
        "Z[c, y, x] = X[4*c + 2*(y%2) + x%2, y/2, x/2] where y in 0:2*H, x in 0:2*W\n"
        "Y[c, y, x] = Z[c, y + P, x + P] }",
        sizes);
}

}  // namespace
}  // namespace halogen
