// Which steps a split kernel runs in, and what cannot be split.

#include "frontend/project/steps.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace halogen {
namespace {

using test::kernel_of;
using testing::ElementsAre;

/// "1-2 by b leaving Y": the steps of a kernel, or the error.
std::vector<std::string> steps(const std::string& kernel_text, const Phases& phases, const Settings& known = {}) {
    const Kernel kernel = kernel_of(kernel_text);
    const auto steps = steps_of(kernel, solve(kernel, known).value(), phases);
    if (!steps) return {format(steps.error(), "-e")};
    std::vector<std::string> texts;
    for (const ShardStep& step : steps.value()) {
        std::string text = fmt::format("{}-{}", step.section.first + 1, step.section.end);
        for (const Cut& cut : step.cuts)
            text += fmt::format(" {}={} of {}{}", cut.split.index, cut.split.shards, print(cut.extent),
                                cut.partial ? " " + to_string(step.combine) : "");
        for (const std::string& tensor : step.results) text += " -> " + tensor;
        texts.push_back(text);
    }
    return texts;
}

std::vector<std::string> steps(const std::string& kernel_text, const std::vector<Split>& splits) {
    return steps(kernel_text, Phases{{0, splits}});
}

const char* const softmax =
    "kernel softmax(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; "
    "Y[b, n] = E[b, n] / S[b] }";

TEST(Steps, RowsOfSoftmaxAreOneStepColumnsThree) {
    EXPECT_THAT(steps(softmax, {{"b", 4}}), ElementsAre("1-4 b=4 of B -> Y"));
    EXPECT_THAT(steps(softmax, {{"n", 4}}), ElementsAre("1-1 n=4 of N max= -> M", "2-2 n=4 of N -> E",
                                                        "3-3 n=4 of N += -> S", "4-4 n=4 of N -> Y"));
    EXPECT_THAT(steps(softmax, {{"b", 2}, {"n", 2}}),
                ElementsAre("1-1 b=2 of B n=2 of N max= -> M", "2-2 b=2 of B n=2 of N -> E",
                            "3-3 b=2 of B n=2 of N += -> S", "4-4 b=2 of B n=2 of N -> Y"));
}

TEST(Steps, WhatNobodyElseReadsIsMadeAgainByEveryShardThatNeedsIt) {
    EXPECT_THAT(steps("kernel k(X: f32[H], F: f32[R]) -> Y: f32 { Z[y] += X[y + r]*F[r]; Y[y] max= Z[2*y + q] where q "
                      "in 0:2 }",
                      {{"y", 4}}),
                ElementsAre("1-2 y=4 of (H - R + 1)/2 -> Y"));
}

TEST(Steps, AnOutputThatIsReadBesideItsOwnPlaceIsAStepOfItsOwn) {
    EXPECT_THAT(
        steps("kernel k(X: f32[N]) -> (Z: f32[N], Y: f32[M]) { Z[i] = 2*X[i]; Y[i] = Z[i] + Z[i + 1] }", {{"i", 2}}),
        ElementsAre("1-1 i=2 of N -> Z", "2-2 i=2 of N - 1 -> Y"));
}

TEST(Steps, ARecurrenceSaysWhatItNeeds) {
    EXPECT_THAT(steps("kernel k(X: f32[B, N]) -> Y: f32[B, N] { Y[b, 0] = X[b, 0]; Y[b, n] = Y[b, n - 1] + X[b, n] "
                      "where n in 1:N }",
                      {{"n", 2}}),
                ElementsAre("-e: index `n` cannot be split: `Y[b, n]` needs `Y[b, n - 1]`, so `n` runs in order\n  at  "
                            " Y[b, n] = Y[b, n - 1] + X[b, n] where n in 1:N\n  fix  split one of `b`"));
}

const char* const sums_both_ways =
    "kernel k(X: f32[N, M]) -> Y: f32[N, M] { R[i, 0] = X[i, 0]; R[i, j] = R[i, j - 1] + X[i, j] where j in 1:M; "
    "Y[0, j] = R[0, j]; Y[i, j] = Y[i - 1, j] + R[i, j] where i in 1:N }";

TEST(Steps, PhasesAreSplitApart) {
    EXPECT_THAT(steps(sums_both_ways, Phases{{0, {{"i", 4}}}, {2, {{"j", 2}}}}),
                ElementsAre("1-2 i=4 of N -> R", "3-4 j=2 of M -> Y"));
    EXPECT_THAT(
        steps(softmax, Phases{{0, {{"n", 4}}}, {3, {{"b", 4}}}}),
        ElementsAre("1-1 n=4 of N max= -> M", "2-2 n=4 of N -> E", "3-3 n=4 of N += -> S", "4-4 b=4 of B -> Y"));
    EXPECT_THAT(steps(softmax, Phases{{0, {}}, {2, {{"b", 4}}}}), ElementsAre("1-2 -> E", "3-4 b=4 of B -> Y"));
    EXPECT_THAT(steps(sums_both_ways, {{"j", 2}}),
                ElementsAre("-e: index `j` cannot be split: `R[i, j]` needs `R[i, j - 1]`, so `j` runs in order\n"
                            "  at   R[i, j] = R[i, j - 1] + X[i, j] where j in 1:M\n"
                            "  fix  split parts of the kernel apart, as in --split 'i=2 from 4 j=2'"));
    EXPECT_THAT(steps(sums_both_ways, Phases{{0, {{"i", 4}}}, {7, {{"j", 2}}}}),
                ElementsAre("-e: the kernel has no equation 8, from which splits are given\n"
                            "  fix  begin at one of its 4 equations"));
    EXPECT_THAT(steps("kernel k(X: f32[N], W: f32[K]) -> Y: f32 { Z[i] = 2*X[i]; Y[i] += Z[i + k]*W[k] }",
                      Phases{{0, {{"k", 2}}}, {1, {{"i", 2}}}}),
                ElementsAre("-e: index `k` stands in none of the equations 1 to 1, which this split is for\n"
                            "  fix  their indices are `i`"));
}

TEST(Steps, AnIndexThatIsNoneIsAnError) {
    EXPECT_THAT(steps(softmax, {{"m", 2}}),
                ElementsAre("-e: the kernel has no index `m`\n  fix  its indices are `b`, `n`"));
}

TEST(Steps, AScatterLeavesPartialSums) {
    EXPECT_THAT(steps("kernel h(I: u8[N]) -> H: i32[256] { H[I[n]] += 1 }", {{"n", 2}}),
                ElementsAre("1-1 n=2 of N += -> H"));
}

TEST(Steps, PlacesThatAreApartAreIndependent) {
    EXPECT_THAT(steps("kernel up(X: f32[N]) -> Y: f32[2*N] { Y[2*n + k] = X[n] where k in 0:2 }", {{"n", 2}}),
                ElementsAre("1-1 n=2 of N -> Y"));
}

}  // namespace
}  // namespace halogen
