// Windows of several dims reduced a dim at a time.

#include "frontend/plan/separated.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string separated_equations(const std::string& text) { return equations_after(separated, text); }

TEST(Separated, RowsOfAWindowAreReducedOnceForAllResultsThatReadThem) {
    EXPECT_EQ(separated_equations("kernel k(X: f32[H, W], R: size) -> A: f32[H - 2*R, W - 2*R] { "
                                  "A[y, x] += X[y + i, x + j] where i in 0:2*R + 1, j in 0:2*R + 1 }"),
              "A_rows[y, x] += X[y, x + j] where j in 0:2*R + 1\n"
              "A[y, x] += A_rows[y + i, x] where i in 0:2*R + 1\n");
    EXPECT_EQ(separated_equations("kernel k(X: u8[H pad 3, W pad 3] else reflect) -> A: u8[H, W] { "
                                  "A[y, x] max= X[y + i - 3, x + j - 3] where i in 0:7, j in 0:7 }"),
              "A_rows[y, x] max= X[y - 3, x + j - 3] where j in 0:7\n"
              "A[y, x] max= A_rows[y + i, x] where i in 0:7\n");
}

TEST(Separated, WindowsAreCountedFromTheirFirstElement) {
    EXPECT_EQ(separated_equations("kernel k(X: u8[H pad 2, W pad 2] else highest) -> A: u8[H, W] { "
                                  "A[y, x] min= X[y + i, x + j] where i in -2:3, j in -2:3 }"),
              "A_rows[y, x] min= X[y - 2, x + (j - 2)] where j in 0:5\n"
              "A[y, x] min= A_rows[y + i, x] where i in 0:5\n");
    EXPECT_EQ(separated_equations("kernel k(X: f32[H pad 2, W pad 2] else 0) -> A: f32[H, W] { "
                                  "A[y, x] += X[y + i, x + j]*i where i in -2:3, j in -2:3 }"),
              "A_rows[y, x] += X[y + i, x - 2]*i where i in -2:3\n"
              "A[y, x] += A_rows[y, x + j] where j in 0:5\n")
        << "i is a value";
}

TEST(Separated, WeightsGoWithTheDimThatTheyWeigh) {
    EXPECT_EQ(separated_equations("kernel k(X: f32[H pad R, W pad R] else edge, g: f32[2*R + 1]) -> A: f32[H, W] { "
                                  "A[y, x] += X[y + i - R, x + j - R]*g[i]*g[j] }"),
              "A_rows[y, x] += X[y - R, x + j - R] * g[j]\n"
              "A[y, x] += A_rows[y + i, x] * g[i]\n");
    EXPECT_EQ(separated_equations("kernel k(X: f32[H, W], R: size) -> A: f32[H - R, W - R] { "
                                  "A[y, x] += X[y + i, x + j]*f32(i) where i in 0:R + 1, j in 0:R + 1 }"),
              "A_rows[y, x] += X[y + i, x]*f32(i) where i in 0:R + 1\n"
              "A[y, x] += A_rows[y, x + j] where j in 0:R + 1\n");
    EXPECT_EQ(separated_equations("kernel k(X: f32[H, C], g: f32[R], F: f32[C, K]) -> Y: f32[H - R + 1, K] { "
                                  "Y[y, k] += X[y + r, c]*g[r]*F[c, k] }"),
              "Y_rows[y, k] += X[y, c] * F[c, k]\n"
              "Y[y, k] += Y_rows[y + r, k] * g[r]\n");
}

TEST(Separated, OneDimOfEachEquationAtATime) {
    const Kernel kernel = kernel_of(
        "kernel k(X: f32[D, H, W], R: size) -> A: f32[D - R, H - R, W - R] { "
        "A[z, y, x] += X[z + k, y + i, x + j] where k in 0:R + 1, i in 0:R + 1, j in 0:R + 1 }");
    const auto once = separated(kernel, open_solution(kernel));
    ASSERT_TRUE(once);
    const auto twice = separated(*once, open_solution(*once));
    ASSERT_TRUE(twice);
    EXPECT_EQ(print(twice->equations[0]), "A_rows_rows[z, y, x] += X[z, y, x + j] where j in 0:R + 1");
    EXPECT_EQ(print(twice->equations[1]), "A_rows[z, y, x] += A_rows_rows[z, y + i, x] where i in 0:R + 1");
    EXPECT_EQ(separated(*twice, open_solution(*twice)), std::nullopt);
}

TEST(Separated, NothingWhereWindowsAreSmallOrTheirRowsAreNotShared) {
    for (
        const char* text :
        {"kernel k(X: f32[H, W]) -> A: f32[H - 2, W - 2] { "  // 3x3: read once for several results
         "A[y, x] += X[y + i, x + j] where i in 0:3, j in 0:3 }",
         "kernel k(X: f32[H, W], F: f32[R, S]) -> A: f32[H - R + 1, W - S + 1] { "  // each element has a weight of its own
         "A[y, x] += X[y + i, x + j]*F[i, j] }",
         "kernel k(X: f32[H, W], R: size) -> A: f32[H/R, W/R] { "  // windows side by side
         "A[y, x] += X[R*y + i, R*x + j] where i in 0:R, j in 0:R, y in 0:H/R, x in 0:W/R }",
         "kernel k(X: f32[H, W], R: size) -> A: f32[H - R, W - R] { "  // elements are chosen by what they are
         "A[y, x] += X[y + i, x + j] where i in 0:R + 1, j in 0:R + 1, X[y + i, x + j] > 0 }",
         "kernel k(X: f16[H, W], R: size) -> A: f16[H - R, W - R] { "  // rows would be rounded
         "A[y, x] += X[y + i, x + j] where i in 0:R + 1, j in 0:R + 1 }"})
        EXPECT_EQ(separated_equations(text), "nothing") << text;
}

TEST(Separated, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int r : {0, 1, 2, 4})
        for (const int w : {9, 16, 35}) sizes.push_back({{"H", 11}, {"W", w}, {"R", r}});
    for (const char* boundary : {"0", "edge", "reflect", "wrap"})
        expect_as_interpreted_on_all_legs(std::string("kernel k(X: f32[H pad R, W pad R] else ") + boundary +
                                              ", R: size) -> A: f32[H, W] { A[y, x] += X[y + i - R, x + j - R] "
                                              "where i in 0:2*R + 1, j in 0:2*R + 1 }",
                                          sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(X: u8[H, W], R: size) -> A: u8[H - 2*R, W - 2*R] { A[y, x] min= X[y + i, x + j] "
        "where i in 0:2*R + 1, j in 0:2*R + 1 }",
        sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[H, W, C], g: f32[R], D: size) -> A: f32[H - D*(R - 1), W - D*(R - 1), C] { "
        "A[y, x, c] += g[i]*X[y + D*i, x + D*j, c]*g[j] }",
        {{{"H", 11}, {"W", 12}, {"C", 3}, {"g.0", 3}, {"D", 2}},
         {{"H", 11}, {"W", 24}, {"C", 8}, {"g.0", 4}, {"D", 1}}});
}

}  // namespace
}  // namespace halogen
