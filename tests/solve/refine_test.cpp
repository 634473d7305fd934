// More that is known gives sharper shapes everywhere; sizes near 2^62 stay exact.

#include "frontend/solve/solve.h"
#include "tests/solve/solved.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using test::guards;
using test::size;
using testing::ElementsAre;
using testing::IsEmpty;

Solution refined(const std::string& text, const Settings& known, const std::vector<SizeEquality>& equal) {
    const auto result = refine(test::kernel_of(text), known, equal);
    EXPECT_TRUE(result) << (result ? "" : format(result.error(), "-e"));
    return result ? result.value() : Solution{};
}

TEST(Refine, AnEqualityReachesEveryShape) {
    const auto s = refined(test::conv2d, {}, {{"W", "H"}, {"S", "R"}});
    EXPECT_EQ(size(s, "OW"), "H - R + 1");
    EXPECT_EQ(s.sizes.at("OH"), s.sizes.at("OW"));
    EXPECT_THAT(guards(s), ElementsAre("H == W", "R == S", "R <= H"));
}

TEST(Refine, AConstantAndAnEqualityTogetherReachAFixpoint) {
    const char* chain = "A[a] += X[a + k]*W[k]; B[b] += A[b + j]*V[j]; Y[y] = 2*B[y]";
    const auto s = refined(chain, {{"W.0", 3}, {"X.0", 20}}, {{"V.0", "W.0"}});
    EXPECT_EQ(size(s, "Y.0"), "16");
    EXPECT_THAT(s.symbols, IsEmpty());
}

TEST(Refine, DimsDeclaredAsFormulasTakePart) {
    const auto s =
        refined("kernel h(X: f32[2*N], Z: f32[M]) -> Y: f32[N] { Y[i] = X[2*i]*Z[0] }", {{"M", 8}}, {{"X.0", "M"}});
    EXPECT_EQ(size(s, "N"), "4");
}

TEST(Refine, WhatCannotBeEqualSaysWhy) {
    const auto result = refine(test::kernel_of("C[i,j] += A[i,k]*B[k,j]"), {{"A.0", 3}, {"B.1", 4}}, {{"A.0", "B.1"}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what, "`A.0` is 3 but `B.1` is 4, and they are to be equal");
    EXPECT_EQ(refine(test::kernel_of("Y[i] = X[i]"), {}, {{"X.0", "Q"}}).error().what,
              "`Q` is no size, parameter or dim of the kernel");
}

constexpr std::int64_t large = std::int64_t{1} << 62;

TEST(LargeSizes, StayExactUpTo2To62) {
    EXPECT_EQ(size(test::solved("Y[y] += X[y + k]*W[k]", {{"X.0", large}, {"W.0", 3}}), "Y.0"),
              std::to_string(large - 2));
    EXPECT_EQ(size(test::solved("Y[y] += X[y + k]*W[k]", {{"Y.0", large - 2}, {"W.0", 3}}), "X.0"),
              std::to_string(large));
    EXPECT_EQ(size(test::solved("Y[y] += X[2*y + k]*W[k]", {{"Y.0", large / 2 - 1}, {"W.0", 2}}), "X.0"),
              std::to_string(large - 2));
    EXPECT_EQ(size(test::solved("kernel s(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }",
                                {{"N", large - 1}, {"M", 3}}),
                   "Y.0"),
              "no size Y.0");
    EXPECT_EQ(print(test::solved("kernel s(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }",
                                 {{"N", large - 1}, {"M", 3}})
                        .extents.at("Y")[0]),
              std::to_string((large - 1) / 3));
}

TEST(LargeSizes, PastThatIsAnErrorNeverAWrongNumber) {
    const auto kind = [](const char* text, const Settings& known) {
        const auto result = solve(test::kernel_of(text), known);
        return result ? "solved" : to_string(result.error().kind);
    };
    EXPECT_EQ(kind("Y[2*x] += X[x]", {{"X.0", large - 1}}), "overflow");
    EXPECT_EQ(kind("Y[y] += X[2*y + k]*W[k]", {{"Y.0", large - 1}, {"W.0", 3}}), "overflow");
    EXPECT_EQ(kind("Y[i] = X[i]", {{"X.0", large + 1}}), "overflow");
    EXPECT_EQ(
        kind("kernel m(X: f32[A, B]) -> Y: f32[A*B] { Y[k] = X[k/B, k % B] }", {{"A", large / 2}, {"B", large / 2}}),
        "overflow");
}

}  // namespace
}  // namespace halogen
