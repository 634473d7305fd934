// What a block of an index space touches, as formulas.

#include "frontend/project/projection.h"
#include "frontend/project/needs.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace halogen {
namespace {

using test::kernel_of;
using testing::ElementsAre;

std::string text(const Hull& h) { return print(h.low) + " to " + print(h.high); }

std::string text(const Projection& p) {
    std::string text = p.access + ":";
    for (const Reached& r : p.dims) {
        text += " [" + halogen::text(r.places) + "]";
        if (!(r.inside == r.places)) text += " within [" + halogen::text(r.inside) + "]";
    }
    return text + (p.cells ? ", " + print(*p.cells) + " cells" : ", cells unknown");
}

/// The projections of the block of these indices, by symbols.
std::vector<std::string> projections(const std::string& kernel_text, const std::vector<std::string>& cut,
                                     const Settings& known = {}, int equation = 0) {
    const Kernel kernel = kernel_of(kernel_text);
    const Solution s = solve(kernel, known).value();
    Box block;
    for (const std::string& index : cut) block[index] = block_of(s.indices[equation].at(index), index);
    std::vector<std::string> texts;
    for (const Projection& p : project(kernel, s, equation, block)) texts.push_back(text(p));
    return texts;
}

const char* const matmul = "kernel matmul(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] { C[i, j] += A[i, k]*B[k, j] }";

TEST(Projection, ABlockOfRowsTakesRowsOfOneOperandAndAllOfTheOther) {
    EXPECT_THAT(projections(matmul, {"i"}),
                ElementsAre("C[i, j]: [i.first to i.count + i.first - 1] [0 to N - 1], N*i.count cells",
                            "A[i, k]: [i.first to i.count + i.first - 1] [0 to K - 1], K*i.count cells",
                            "B[k, j]: [0 to K - 1] [0 to N - 1], K*N cells"));
}

TEST(Projection, AStridedWindowGrowsByItsHaloAndIsClippedAtPadding) {
    const char* const rows =
        "kernel rows(X: f32[H pad P], F: f32[R], T: size = 1, P: size = 0) -> Y: f32 { Y[y] += X[T*y + r - P]*F[r] }";
    EXPECT_THAT(
        projections(rows, {"y"}, {{"P", 1}, {"T", 2}}),
        ElementsAre("Y[y]: [y.first to y.count + y.first - 1], y.count cells",
                    "X[T*y + r - P]: [2*y.first - 1 to R + 2*y.count + 2*y.first - 4] within [max(0, 2*y.first - "
                    "1) to min(R + 2*y.count + 2*y.first - 4, H - 1)], cells unknown",
                    "F[r]: [0 to R - 1], R cells"));
}

TEST(Projection, StridesLeaveHoles) {  // 5 values of y reach 5*4 + 3 places, of which they read 15
    const char* const sparse = "kernel k(X: f32[H]) -> Y: f32 { Y[y] += X[5*y + r] where r in 0:3 }";
    EXPECT_THAT(projections(sparse, {"y"}),
                ElementsAre("Y[y]: [y.first to y.count + y.first - 1], y.count cells",
                            "X[5*y + r]: [5*y.first to 5*y.count + 5*y.first - 3], 3*y.count cells"));
}

TEST(Projection, WhatIsLeftOfAStridedWindowAtPaddingBeginsAtTheFirstPlaceThatIsRead) {
    const char* const odd = "kernel k(X: f32[H pad 1] else 0) -> Y: f32[N] { Y[y] = X[2*y - 1] where y in 0:N }";
    EXPECT_THAT(projections(odd, {}, {{"H", 8}, {"N", 5}}),  // -1, 1, 3, 5, 7
                ElementsAre("Y[y]: [0 to 4], 5 cells", "X[2*y - 1]: [-1 to 7] within [1 to 7], 4 cells"));
    const char* const runs =  // -2, -1, 3, 4, 8, 9 of 9 places
        "kernel k(X: f32[H pad 2] else 0) -> Y: f32[N] { Y[y] += X[5*y + r - 2] where r in 0:2, y in 0:N }";
    EXPECT_THAT(projections(runs, {}, {{"H", 9}, {"N", 3}}),
                ElementsAre("Y[y]: [0 to 2], 3 cells", "X[5*y + r - 2]: [-2 to 9] within [3 to 8], 3 cells"));
    EXPECT_THAT(
        projections(odd, {"y"}),
        ElementsAre("Y[y]: [y.first to y.count + y.first - 1], y.count cells",
                    "X[2*y - 1]: [2*y.first - 1 to 2*y.count + 2*y.first - 3] within [2*max(0, 1 - y.first) + "
                    "2*y.first - 1 to 2*y.count + 2*y.first - 2*max(0, (1 - H)/2 + y.count + y.first - 1) - 3], "
                    "max(0, y.count - max(0, (1 - H)/2 + y.count + y.first - 1) - max(0, 1 - y.first)) cells"));
}

TEST(Projection, AReversedReadHasItsEndsExchanged) {
    EXPECT_THAT(projections("kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[N - 1 - i] }", {"i"}),
                ElementsAre("Y[i]: [i.first to i.count + i.first - 1], i.count cells",
                            "X[N - 1 - i]: [N - i.count - i.first to N - i.first - 1], i.count cells"));
}

TEST(Projection, DataMayReachAllOfADim) {
    EXPECT_THAT(projections("kernel k(X: f32[V, D], I: i32[N]) -> Y: f32[N, D] { Y[n, d] = X[I[n], d] }", {"n"}),
                ElementsAre("Y[n, d]: [n.first to n.count + n.first - 1] [0 to D - 1], D*n.count cells",
                            "X[I[n], d]: [0 to V - 1] [0 to D - 1], cells unknown",
                            "I[n]: [n.first to n.count + n.first - 1], n.count cells"));
}

/// Block 4 to 7 of rows behind two stencils.
TEST(Needs, HalosGrowThroughChains) {
    const Kernel kernel = kernel_of(
        "kernel k(X: f32[N]) -> Y: f32 { U[i] = X[i] + X[i + 1] + X[i + 2]; Y[i] = U[i] + U[i + 1] + U[i + 2] }");
    const Solution s = solve(kernel).value();
    const Needs needs = needs_of(kernel, s, {0, 2}, {{"Y", {{Formula(4), Formula(7)}}}});
    EXPECT_EQ(text(needs.windows.at("U")[0]), "4 to 9");
    EXPECT_EQ(text(needs.windows.at("X")[0]), "4 to 11");
    EXPECT_EQ(text(needs.blocks[0]->at("i")), "4 to 9");
}

TEST(Needs, ARecurrenceNeedsAllOfItsDim) {
    const Kernel kernel = kernel_of(
        "kernel k(X: f32[B, N]) -> Y: f32[B, N] { Y[b, 0] = X[b, 0]; Y[b, n] = Y[b, n - 1] + X[b, n] where n in 1:N }");
    const Solution s = solve(kernel).value();
    const Needs needs = needs_of(kernel, s, {0, 2}, {{"Y", {{Formula(1), Formula(1)}, {Formula(4), Formula(7)}}}});
    EXPECT_EQ(text(needs.windows.at("Y")[0]), "1 to 1");
    EXPECT_EQ(text(needs.windows.at("Y")[1]), "0 to N - 1");
    EXPECT_EQ(text(needs.windows.at("X")[0]), "1 to 1");
}

}  // namespace
}  // namespace halogen
