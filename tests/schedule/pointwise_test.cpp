// Windows that are known to be one point: products of matrices, whose pixels are one dim.

#include "frontend/plan/pointwise.h"

#include "schedules/variants/following.h"
#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

const char* const convolution =
    "kernel k(X: f32[N, C, H pad P, W pad P] else 0, F: f32[K, C, R, S], T: size = 1, D: size = 1, P: size = 0) -> "
    "Y: f32[N, K, OH, OW] { Y[n, k, y, x] += X[n, c, T*y + D*r - P, T*x + D*s - P]*F[k, c, r, s] }";

std::string points(const std::string& text, const Settings& sizes) {
    const Kernel kernel = kernel_of(text);
    const auto result = pointwise(kernel, open_solution(kernel), sizes);
    return result ? print(result->equations.front()) : "nothing";
}

TEST(Pointwise, WindowsOfOnePointAreNone) {
    EXPECT_EQ(points(convolution, {{"R", 1}, {"S", 1}, {"T", 1}, {"P", 0}}),
              "Y[n, k, y, x] += X[n, c, y, x] * F[k, c, 0, 0]");
    EXPECT_EQ(points(convolution, {{"R", 1}, {"S", 1}, {"T", 2}, {"P", 0}}),
              "Y[n, k, y, x] += X[n, c, T*y + D*0 - P, T*x + D*0 - P] * F[k, c, 0, 0]")
        << "steps stay";
    EXPECT_EQ(points("kernel k(X: f32[N, C, L], F: f32[K, C, R]) -> Y: f32[N, K, L - R + 1] { "
                     "Y[n, k, l] += X[n, c, l + r]*F[k, c, r] where r in 0:R }",
                     {{"R", 1}}),
              "Y[n, k, l] += X[n, c, l] * F[k, c, 0]");
}

TEST(Pointwise, NotOfMorePointsNorWhereTheyAreValuesOrDecide) {
    EXPECT_EQ(points(convolution, {{"R", 1}, {"S", 3}, {"T", 1}, {"P", 0}}),
              "Y[n, k, y, x] += X[n, c, y, T*x + D*s - P] * F[k, c, 0, s]")
        << "of those that are one";
    EXPECT_EQ(points(convolution, {{"R", 3}, {"S", 3}}), "nothing");
    EXPECT_EQ(points("kernel k(X: f32[C, L], F: f32[R]) -> Y: f32[C, L - R + 1] { Y[c, l] += X[c, l + r]*F[r]*r }",
                     {{"R", 1}}),
              "nothing");
    EXPECT_EQ(points("kernel k(X: f32[C, L], F: f32[R]) -> Y: f32[C, L - R + 1] { "
                     "Y[c, l] += X[c, l + r]*F[r] where r > 2 }",
                     {{"R", 1}}),
              "nothing");
}

/// The variant for them, first of those that are offered to a call.
TEST(Pointwise, AConvolutionByPointsIsAProduct) {
    const Kernel kernel = kernel_of(convolution);
    const Variant variant = following_variants(kernel, open_solution(kernel), false).front();
    EXPECT_EQ(variant.name, "R1_S1_T1_P0");
    const auto form = form_of(kernel, open_solution(kernel), variant);
    EXPECT_EQ(print(form.kernel.equations.front()), "Y[n, k, y_x] += X[n, c, y_x] * F[k, c, 0, 0]");
    std::vector<Settings> sizes;
    for (const int c : {1, 3, 17})
        for (const int w : {8, 9, 16, 17})
            sizes.push_back(
                {{"N", 2}, {"C", c}, {"K", 19}, {"H", 8}, {"W", w}, {"R", 1}, {"S", 1}, {"P", 0}, {"T", 1}, {"D", 3}});
    expect_variant_as_interpreted_on_all_legs(convolution, variant, sizes);
}

/// One point of k makes three elements of Z and so two of S, of which B reads the third.
TEST(Pointwise, NotForSizesThatNoCallHas) {
    const Kernel kernel = kernel_of(
        "kernel k(D: i64[P, K, H], A: i32[P], B: i32[W, R], Z: u16[K + 2], X: i32[P - 2, R + 1], L: f64[S + 1], E: "
        "bool[Q, S]) -> "
        "(T: i64, J: i64, O: i64) { T[j] max= D[j, k, j + k]/D[0 - t, k, min(abs(A[j]), 8)] where t in 0:1; "
        "I[l] = E[B[l, l], l]; J[j] = D[j, 0, B[2, 1]]; O[c + 2] = D[Z[c], 1, 1] + T[X[c, i32(L[c])]] where c + c > c "
        "}");
    EXPECT_FALSE(
        is_rewritten(kernel, open_solution(kernel), {{CallFact::Kind::equal, Formula::symbol("K"), Formula(1)}}));
    for (const Variant& variant : following_variants(kernel, open_solution(kernel), false))
        EXPECT_EQ(variant.name.find("K1"), std::string::npos) << variant.name;
}

}  // namespace
}  // namespace halogen
