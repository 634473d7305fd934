// Every way in which sizes can be wrong, with its full text.

#include "tests/solve/solved.h"

namespace halogen {
namespace {

using test::conv2d;
using test::kernel_of;

/// "[kind] message" as `halogen solve` shows it.
std::string error_of(const std::string& text, const Settings& known = {}) {
    const auto result = solve(kernel_of(text), known);
    if (result) return "solved";
    return "[" + to_string(result.error().kind) + "] " + format(result.error(), "-e");
}

TEST(SolveError, AContractionWithTwoExtents) {
    EXPECT_EQ(error_of("C[i,j] += A[i,k]*B[k,j]", {{"A.1", 5}, {"B.0", 6}}),
              "[contradictory] -e:1:1: index `k` has extent 5 in A[i, k] but 6 in B[k, j]\n"
              "  at   C[i,j] += A[i,k]*B[k,j]\n"
              "  fix  make both extents equal, or give B[k, j] its own index\n"
              "  near A.1 = 6\n"
              "  near B.0 = 5\n"
              "  from `A.1` = 5 is given\n"
              "  from `B.0` = 6 is given");
}

TEST(SolveError, OneSizeGivenTwice) {
    EXPECT_EQ(error_of(conv2d, {{"X.3", 5}, {"F.2", 6}}),
              "[contradictory] -e: `F.2` is 6 but `X.3` is 5, and both are one size\n"
              "  fix  give one of them, or equal values\n"
              "  near F.2 = 5 gives C = 5\n"
              "  near X.3 = 6 gives C = 6");
}

TEST(SolveError, AnOutputThatIsNotTheLargest) {
    EXPECT_EQ(error_of("Y[y] += X[y+k]*W[k]", {{"X.0", 10}, {"W.0", 3}, {"Y.0", 9}}),
              "[contradictory] -e:1:1: 8 is not 9: `Y.0` is the largest extent that keeps X[y + k] inside\n"
              "  at   Y[y] += X[y+k]*W[k]\n"
              "  fix  make both sides equal\n"
              "  near W.0 = 2\n"
              "  near X.0 = 11\n"
              "  near Y.0 = 8\n"
              "  from `W.0` = 3 is given\n"
              "  from `X.0` = 10 is given\n"
              "  from `Y.0` = 9 is given\n"
              "  from 1:1: X[y + k] stays inside: W.0 + Y.0 <= X.0 + 1");
}

TEST(SolveError, AWindowLargerThanItsInput) {
    EXPECT_EQ(error_of("Y[y] += X[y+k]*W[k]", {{"X.0", 3}, {"W.0", 5}}),
              "[negative] -e:1:1: `Y.0` would be -1, but `Y.0` is at least 1, from X[y + k]\n"
              "  at   Y[y] += X[y+k]*W[k]\n"
              "  fix  give larger sizes, or a smaller window, stride, dilation or pad\n"
              "  near W.0 = 3 gives Y.0 = 1\n"
              "  near X.0 = 5 gives Y.0 = 1\n"
              "  from `W.0` = 5 is given\n"
              "  from `X.0` = 3 is given\n"
              "  from 1:1: X[y + k] stays inside: W.0 + Y.0 <= X.0 + 1, and `Y.0` = -1 is the largest");
}

TEST(SolveError, AWindowThatIsAnInterval) {  // 2*(8 - 1) + k <= 18 < 2*8 + k
    EXPECT_EQ(error_of("Y[y] += X[2*y+k]*W[k]", {{"X.0", 18}, {"Y.0", 8}}),
              "[underdetermined] -e:1:1: several sizes will do: `W.0` in [3, 4], from (20 - W.0)/2 == 8\n"
              "  at   Y[y] += X[2*y+k]*W[k]\n"
              "  fix  set it: --set W.0=INT");
}

TEST(SolveError, AnInputThatWouldBeAFraction) {  // 2*(X.0 - 1) + 3 = 12
    EXPECT_EQ(error_of("Y[2*x + k] += X[x]*W[k]", {{"Y.0", 12}, {"W.0", 3}}),
              "[non_integer] -e:1:1: no whole number will do: `X.0` = 11/2, from 12 == 2*X.0 + 1\n"
              "  at   Y[2*x + k] += X[x]*W[k]\n"
              "  fix  change a given size to one that divides\n"
              "  near W.0 = 2 gives X.0 = 6, W.0 = 4 gives X.0 = 5\n"
              "  near Y.0 = 11 gives X.0 = 5, Y.0 = 13 gives X.0 = 6\n"
              "  from `Y.0` = 12 is given\n"
              "  from `W.0` = 3 is given");
}

TEST(SolveError, AFormulaThatDoesNotDivide) {
    EXPECT_EQ(error_of("kernel h(X: f32[2*N]) -> Y: f32[N] { Y[i] = X[2*i] }", {{"X.0", 7}}),
              "[non_integer] -e: `N` would be 7/2: `X.0` is given\n"
              "  fix  make 7 a multiple of 2\n"
              "  near X.0 = 6 gives N = 3, X.0 = 8 gives N = 4");
}

TEST(SolveError, TwoOpenIndicesInOneAccess) {
    EXPECT_EQ(
        error_of("V[y, r] = X[2*y + r]"),
        "[underdetermined] -e:1:1: X[2*y + r] leaves `V.0`, `V.1` open: only X.0 - 2*V.0 - V.1 + 2 >= 0 is known\n"
        "  at   V[y, r] = X[2*y + r]\n"
        "  fix  declare it, or set it: --set V.0=INT");
}

TEST(SolveError, AnIndexThatNothingBounds) {
    EXPECT_EQ(error_of("Y[i] = X[i % 3]"),
              "[underdetermined] -e:1:1: nothing fixes the size `Y.0`\n"
              "  at   Y[i] = X[i % 3]\n"
              "  fix  declare it, or set it: --set Y.0=INT");
}

TEST(SolveError, ASizeThatAPlaceWithoutAnExactBoundMayEnd) {
    const char* kernel = "Y[i] = X[2*i] + Z[(i/4)*4 + (3 - i%4)]";
    EXPECT_EQ(
        error_of(kernel),
        "[underdetermined] -e:1:1: nothing fixes the size `Y.0`: where Z[i/4*4 + (3 - i%4)] ends it is known with "
        "numbers alone\n"
        "  at   Y[i] = X[2*i] + Z[(i/4)*4 + (3 - i%4)]\n"
        "  fix  declare it, or set it: --set Y.0=INT");
}

TEST(SolveError, AnExtentThatARemainderLeavesNothingOf) {
    EXPECT_EQ(error_of("kernel k(D: f32[N]) -> Q: f32 { Q[b] = D[b]*D[(b + 1) % 5] }", {{"N", 1}}),
              "[negative] -e:1:33: `Q.0` would be 0, but `Q.0` is at least 1, from D[(b + 1)%5]\n"
              "  at   Q[b] = D[b]*D[(b + 1) % 5]\n"
              "  fix  give larger sizes, or a smaller window, stride, dilation or pad\n"
              "  near N = 5 gives Q.0 = 5\n"
              "  from `N` = 1 is given\n"
              "  from 1:33: D[(b + 1)%5] stays inside: Q.0 % 5 + 1 <= N, and `Q.0` = 0 is the largest");
}

TEST(SolveError, AReducedIndexWithoutARange) {
    EXPECT_EQ(error_of("kernel s(X: f32[H]) -> Y: f32[N] { Y[y] += X[2*y + r] }", {{"H", 9}, {"N", 2}}),
              "[underdetermined] -e:1:36: X[2*y + r] leaves `r` open: only 7 - r >= 0 is known\n"
              "  at   Y[y] += X[2*y + r]\n"
              "  fix  give it a range: where r in 0:N, or set it: --set r=INT");
}

TEST(SolveError, AReadBeforeTheFirstElement) {
    EXPECT_EQ(error_of("Y[i] = X[i-1]*W[i]", {{"X.0", 5}}),
              "[contradictory] -e:1:1: X[i - 1] reaches position -1 in dim 0 of `X`\n"
              "  at   Y[i] = X[i-1]*W[i]\n"
              "  fix  start the index later");
}

TEST(SolveError, AReadPastTheLastElement) {
    EXPECT_EQ(error_of("Y[i] = X[i+2]*W[i]", {{"X.0", 5}, {"W.0", 5}}),
              "[contradictory] -e:1:1: X[i + 2] reaches position 6 in dim 0 of `X`, which has extent 5\n"
              "  at   Y[i] = X[i+2]*W[i]\n"
              "  fix  make dim 0 of `X` larger by 2, or make the ranges of the indices smaller\n"
              "  near W.0 = 3 gives Y.0 = 3\n"
              "  near X.0 = 7 gives Y.0 = 5\n"
              "  from `X.0` = 5 is given\n"
              "  from `W.0` = 5 is given\n"
              "  from 1:1: index `i` has one extent in Y[i] and W[i]: `Y.0` = `W.0`\n"
              "  from 1:1: X[i + 2] stays inside: Y.0 + 2 <= X.0");
}

TEST(SolveError, AConstantPlaceOutside) {
    EXPECT_EQ(error_of("Y[i] = X[7]*W[i]", {{"X.0", 5}}),
              "[negative] -e:1:1: X[7] reaches position 7 in dim 0 of `X`, which has extent 5\n"
              "  at   Y[i] = X[7]*W[i]\n"
              "  fix  make dim 0 of `X` larger by 3, or name an earlier position\n"
              "  near X.0 = 8\n"
              "  from `X.0` = 5 is given\n"
              "  from 1:1: X[7] stays inside: 8 <= X.0");
}

TEST(SolveError, ARangeThatEndsBeforeItBegins) {
    EXPECT_EQ(error_of("Y[i] = X[i] where i in 3:N", {{"N", 2}, {"X.0", 9}}),
              "[negative] -e:1:1: the range `i in 3:N` has extent -1\n"
              "  at   Y[i] = X[i] where i in 3:N\n"
              "  fix  let it end at or after its begin\n"
              "  near N = 3 gives Y.0 = 3\n"
              "  from `N` = 2 is given");
}

TEST(SolveError, ReflectionOfMoreThanThereIs) {
    EXPECT_EQ(error_of("kernel r(X: f32[N pad 3] else reflect) -> Y: f32[M] { Y[i] = X[i - 3] }", {{"N", 3}}),
              "[negative] -e: `reflect` needs a pad below the extent in dim 0 of `X`: it is short by 1\n"
              "  fix  give a larger extent or a smaller pad\n"
              "  near N = 4 gives M = 10\n"
              "  from `N` = 3 is given");
}

TEST(SolveError, AStrideOfZero) {
    EXPECT_EQ(error_of(conv2d, {{"T", 0}}),
              "[underdetermined] -e:1:139: nothing fixes the size `OH`\n"
              "  at   Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k]\n"
              "  fix  declare it, or set it: --set OH=INT");
}

TEST(SolveError, ADivisorOfZero) {
    EXPECT_EQ(error_of("kernel u(X: f32[N], S: size) -> Y: f32[M] { Y[i] = X[i/S] where i in 0:N }", {{"S", 0}}),
              "[contradictory] -e:1:45: the divisor `S` is 0\n"
              "  at   Y[i] = X[i/S] where i in 0:N\n"
              "  fix  divide by at least 1\n"
              "  near S = 1\n"
              "  from `S` = 0 is given");
}

TEST(SolveError, PointsThatMeetUnderAssignment) {
    EXPECT_EQ(error_of("Y[i/2] = X[i]"),
              "[index] -e:1:1: points of Y[i/2] meet in one element, and `=` keeps only one value\n"
              "  at   Y[i/2] = X[i]\n"
              "  fix  reduce with += or another operator, or let every point have its own place");
    EXPECT_EQ(error_of("Y[2*i + 3*j] = X[i,j]", {{"X.0", 4}, {"X.1", 2}}),
              "solved");  // 2*di = 3*dj has no small solution
    EXPECT_EQ(error_of("Y[2*i + 3*j] = X[i,j]", {{"X.0", 4}, {"X.1", 3}}).substr(0, 7), "[index]");
}

TEST(SolveError, UnknownAndMisusedNames) {
    EXPECT_EQ(error_of("Y[i] = X[i]", {{"Q", 3}}),
              "[name] -e: `Q` is no size, parameter, dim or index of the kernel\n"
              "  fix  name a size, a dim as X.0, or an index");
    EXPECT_EQ(error_of("Y[i] = X[i]", {{"X.1", 3}}),
              "[name] -e: `X.1` names no dim: `X` has rank 1\n  fix  dims count from 0");
    EXPECT_EQ(error_of("Y[i] = X[i]", {{"X.0", -3}}), "[negative] -e: `X.0` is -3\n  fix  give a size of at least 0");
}

TEST(SolveError, SizesPast2To62) {
    const std::int64_t large = (std::int64_t{1} << 61) + 1;  // the last position written is 2^62
    EXPECT_EQ(error_of("Y[2*x] += X[x]", {{"X.0", large}}),
              "[overflow] -e: the extent of `Y.0` is 4611686018427387905, past 2^62\n"
              "  fix  use smaller sizes");
}

TEST(SolveError, AGivenOutputOfZero) {
    EXPECT_EQ(error_of("Y[y] += X[y+k]*W[k]", {{"Y.0", 0}}),
              "[negative] -e:1:1: `Y.0` is 0, but the largest extent that keeps X[y + k] inside is at least 1\n"
              "  at   Y[y] += X[y+k]*W[k]\n"
              "  fix  give a size of at least 1\n"
              "  near Y.0 = 1\n"
              "  from `Y.0` = 0 is given");
}

}  // namespace
}  // namespace halogen
