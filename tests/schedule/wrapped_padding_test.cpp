// Padding that repeats a row as often as it takes, of rows longer and shorter than it.

#include "tests/schedule/rewritten.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

TEST(WrappedPadding, IsThatOfRowsShorterThanItToo) {
    std::vector<Settings> sizes;
    for (const int w : {1, 2, 3, 4, 15, 16, 17, 40})
        for (const int h : {1, 2, 5}) sizes.push_back({{"H", h}, {"W", w}});
    for (const char* mode : {"wrap", "symmetric"})
        for (const char* type : {"u8", "f32"})
            expect_variants_as_interpreted(
                fmt::format("kernel k(X: {}[H pad 2, W pad (3, 1)] else {}) -> Y: {}[H, W] {{ "
                            "Y[y, x] += X[y + r, x + s] where r in -2:3, s in -3:2 }}",
                            type, mode, type),
                sizes);
}

}  // namespace
}  // namespace halogen
