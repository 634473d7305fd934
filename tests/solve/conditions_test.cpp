// Conditions of a kernel and lets that are sizes: facts while solving, guards afterwards.

#include "frontend/solve/solve.h"
#include "tests/solve/solved.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using test::kernel_of;
using testing::ElementsAre;
using testing::IsEmpty;

Solution solved(const std::string& text, const Settings& known = {}) { return solve(kernel_of(text), known).value(); }

std::vector<std::string> reasons(const Solution& s) {
    std::vector<std::string> texts;
    for (const Guard& g : s.guards) texts.push_back(print(g) + " by " + g.reason);
    return texts;
}

std::string refusal(const std::string& text, const Settings& known) {
    const auto result = solve(kernel_of(text), known);
    return result ? "" : to_string(result.error().kind) + ": " + result.error().what + "; " + result.error().fix;
}

TEST(Conditions, AreGuardsWithTheirOwnTextAsReason) {
    EXPECT_THAT(
        reasons(solved("kernel f(X: f32[N, M], R: size) -> Y: f32 where N % 4 == 0, 1 <= R, R <= 8, N > M, M != 3 {\n"
                       "  Y[i, j] = X[i, j]*R }")),
        ElementsAre("N % 4 == 0 by N % 4 == 0", "1 <= R by 1 <= R", "R <= 8 by R <= 8", "M + 1 <= N by N > M",
                    "1 <= max(M - 3, 3 - M) by M != 3"));
}

TEST(Conditions, ThatHoldOrCannotHoldByNumbersAreNoGuards) {
    const char* const text = "kernel f(X: f32[N], R: size = 3) -> Y: f32 where R < 8, N % 2 == 0 { Y[i] = X[i]*R }";
    EXPECT_THAT(reasons(solved(text)), ElementsAre("N % 2 == 0 by N % 2 == 0"));
    EXPECT_THAT(reasons(solved(text, {{"N", 4}})), IsEmpty());
    EXPECT_EQ(refusal(text, {{"R", 9}}),
              "contradictory: the condition `R < 8` does not hold; give sizes for which it holds\n  near R = 7\n  from "
              "`R` = 9 is given");
    EXPECT_EQ(refusal(text, {{"N", 5}}),
              "contradictory: the condition `N % 2 == 0` does not hold: 1 is not 0; give sizes for which it holds\n"
              "  near N = 4 gives Y.0 = 4, N = 6 gives Y.0 = 6\n  from `N` = 5 is given");
    EXPECT_EQ(
        refusal("kernel f(X: f32[N], M: size) -> Y: f32 where N == M { Y[i] = X[i]*M }", {{"N", 4}, {"M", 5}}),
        "contradictory: `N` is 4 but `M` is 5, and the condition `N == M` does not hold; give sizes for which it "
        "holds\n"
        "  near M = 4 gives Y.0 = 4\n  near N = 5 gives Y.0 = 5\n  from `N` = 4 is given\n  from `M` = 5 is given");
}

TEST(Conditions, SpareGuardsThatFollowFromThem) {
    const std::string window = "Y[i] += X[i + r] where r in 0:R }";
    EXPECT_THAT(reasons(solved("kernel f(X: f32[N], R: size) -> Y: f32 { " + window)),
                ElementsAre("R <= N by `Y.0` is at least 1, from X[i + r]"));
    EXPECT_THAT(reasons(solved("kernel f(X: f32[N], R: size) -> Y: f32 where R < N { " + window)),
                ElementsAre("R + 1 <= N by R < N"));
    EXPECT_THAT(reasons(solved("kernel f(X: f32[N], T: size) -> Y: f32 where T >= 2, N >= 1 { Y[i] = X[T*i] }")),
                ElementsAre("2 <= T by T >= 2", "1 <= N by N >= 1"));
}

TEST(Conditions, OfEqualityMakeTwoSizesOne) {
    const Solution s = solved("kernel f(X: f32[N, M]) -> Y: f32 where N == M { Y[i] = X[i, M - 1 - i] }");
    EXPECT_EQ(print(s.sizes.at("M")), "N");
    EXPECT_THAT(reasons(s), ElementsAre("N == M by N == M"));
}

TEST(Conditions, ChooseNoSizeByThemselves) {
    const char* const text = "kernel f(X: f32[N], R: size) -> Y: f32 where N % 4 == 0, N > R { Y[i] = X[4*i]*R }";
    EXPECT_EQ(print(solved(text, {{"R", std::nullopt}}).sizes.at("N")), "N");
    EXPECT_EQ(print(solved(text, {{"Y.0", 3}, {"R", 2}}).sizes.at("N")), "12");
}

TEST(Lets, ThatAreSizesAreKnownByTheirFormulas) {
    const char* const text =
        "kernel f(X: f32[N]) -> Y: f32 { let Q = N/4 + 1; tmp V: f32[Q, 2]; V[i, j] = X[i + j]; "
        "Y[i] += V[i, j] where i in 0:Q }";
    const Solution s = solved(text);
    EXPECT_EQ(print(s.sizes.at("Q")), "(N + 4)/4");
    EXPECT_EQ(print(s.extents.at("V")[0]), "(N + 4)/4");
    EXPECT_EQ(print(s.extents.at("Y")[0]), "(N + 4)/4");
    EXPECT_EQ(print(solved(text, {{"N", 11}}).sizes.at("Q")), "3");
    EXPECT_EQ(
        refusal(text, {{"N", 11}, {"Q", 4}}),
        "contradictory: 4 is not 3: let Q = N/4 + 1; make both sides equal\n"
        "  near N = 12 gives Y.0 = 4\n  near Q = 3 gives Y.0 = 3\n  from `Q` = 4 is given\n  from `N` = 11 is given");
}

TEST(Tmp, ItsDimsPin) {
    EXPECT_EQ(print(solved("kernel f(X: f32[N], M: size) -> Y: f32 { tmp V: f32[M]; V[i] = X[2*i]; Y[i] = V[i] }")
                        .extents.at("Y")[0]),
              "M");
    EXPECT_EQ(refusal("kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[4]; V[i] = X[i]; Y[i] = V[i] }", {{"N", 5}}),
              "contradictory: 5 is not 4: index `i` has one extent in V[i] and X[i]; make both sides equal\n"
              "  near N = 4 gives Y.0 = 4\n  from `N` = 5 is given");
}

}  // namespace
}  // namespace halogen
