// Plans as text, and what is wrong with one.

#include "frontend/project/plan.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

const ShardPlan plan{"matmul", "2728c2149f84e773", {{0, {{"i", 4}, {"k", 2}}}}};

std::string error(const std::string& text) {
    const auto read = parse_plan(text);
    return read ? "no error" : format(read.error(), "p.txt");
}

TEST(Plan, IsReadBackAsItWasPrinted) {
    EXPECT_EQ(print(plan), "halogen plan 1\nkernel matmul\nkey 2728c2149f84e773\nsplit i 4\nsplit k 2\n");
    EXPECT_EQ(parse_plan(print(plan)).value(), plan);
    const ShardPlan bare{"", "2728c2149f84e773", {{0, {}}}};
    EXPECT_EQ(parse_plan(print(bare)).value(), bare);
}

TEST(Plan, OfSeveralPhasesSaysFromWhichEquationOn) {
    const ShardPlan phases{"adi", "2728c2149f84e773", {{0, {{"i", 4}}}, {2, {{"j", 2}, {"i", 2}}}, {3, {}}}};
    EXPECT_EQ(print(phases),
              "halogen plan 1\nkernel adi\nkey 2728c2149f84e773\nsplit i 4\nfrom 3\nsplit j 2\nsplit i 2\nfrom 4\n");
    EXPECT_EQ(parse_plan(print(phases)).value(), phases);
    EXPECT_EQ(print(phases.phases), "i=4 from 3 j=2,i=2 from 4 no split");
    EXPECT_EQ(parse_splits("i=4 from 3 j=2,i=2 from 4").value(), phases.phases);
}

TEST(Plan, CommentsAndEmptyLinesDoNotCount) {
    EXPECT_EQ(
        parse_plan("# mine\n\nhalogen plan 1  # version\n" + print(plan).substr(15) + "# step 1: 8 shards\n").value(),
        plan);
}

TEST(Plan, RandomPlansAreReadBack) {
    test::Dice dice(test::seed_of_run());
    for (int n = 0; n < 200; ++n) {
        ShardPlan random{
            fmt::format("k{}", dice.between(0, 99)), fmt::format("{:016x}", dice.between(0, 1 << 30)), {{0, {}}}};
        for (int p = dice.between(0, 2); p >= 0; --p) {
            for (int i = dice.between(0, 5); i > 0; --i)
                random.phases.back().splits.push_back({fmt::format("i{}", i), dice.between(1, 5000)});
            if (p > 0) random.phases.push_back({random.phases.back().first + dice.between(1, 3), {}});
        }
        EXPECT_EQ(parse_plan(print(random)).value(), random);
        EXPECT_EQ(parse_splits(print(random.phases)).value(), random.phases);
    }
}

TEST(Plan, WhatWasEditedWronglyIsToldWithItsLine) {
    EXPECT_EQ(error(""),
              "p.txt:1:1: a plan begins with `halogen plan 1`\n  fix  `halogen shard KERNEL --split i=4` writes one");
    EXPECT_EQ(error("halogen plan 1\nkernel matmul\n"),
              "p.txt:2:1: the plan does not say which kernel it is for\n  fix  keep its lines `kernel` and `key`");
    EXPECT_EQ(error(print(plan) + "splits j 2\n"),
              "p.txt:6:1: `splits` is no line of a plan\n  fix  a plan has one `kernel NAME`, one `key HASH`, and "
              "`split INDEX "
              "SHARDS` for each index");
    EXPECT_EQ(error(print(plan) + "split j 0\n"),
              "p.txt:6:1: `j` cannot be split into `0`\n  fix  write a number from 1 to 1048576");
    EXPECT_EQ(error(print(plan) + "from 3\nfrom 3\n"),
              "p.txt:7:1: `from 3` begins at no later equation\n  fix  write a number above 3");
    EXPECT_EQ(error(print(plan) + "split i 2\n"), "p.txt:6:1: `i` is split twice\n  fix  keep one of the lines");
}

TEST(Plan, BelongsToItsKernel) {
    const Kernel kernel = test::kernel_of("kernel gemv(A: f32[M, K], x: f32[K]) -> y: f32[M] { y[i] += A[i, k]*x[k] }");
    EXPECT_EQ(format(plan_for(plan, kernel, "0123456789abcdef").error(), ""),
              "the plan is for the kernel `matmul`, not for `gemv`\n  fix  make one with `halogen shard gemv`");
    ShardPlan renamed = plan;
    renamed.kernel = "gemv";
    EXPECT_EQ(format(plan_for(renamed, kernel, "0123456789abcdef").error(), ""),
              "the plan is for other equations: its key is 2728c2149f84e773, that of `gemv` is 0123456789abcdef\n"
              "  fix  make one anew with `halogen shard gemv`");
}

TEST(Plan, SplitsOfTheCommandLine) {
    EXPECT_EQ(parse_splits("n=4,k=2").value(), (Phases{{0, {{"n", 4}, {"k", 2}}}}));
    EXPECT_EQ(format(parse_splits("n=4,k").error(), ""),
              "--split cannot be `k`\n  fix  write INDEX=SHARDS, as in --split n=4,k=2");
    EXPECT_EQ(format(parse_splits("n=4 from two k=2").error(), ""),
              "--split begins at no later equation by `from two`\n  fix  write a number above 1");
    EXPECT_EQ(format(parse_splits("n=4,n=2").error(), ""), "--split splits `n` twice\n  fix  leave one of them out");
}

TEST(Plan, HasAPointForEachShard) {
    const Kernel kernel = test::kernel_of("kernel gemv(A: f32[M, K], x: f32[K]) -> y: f32[M] { y[i] += A[i, k]*x[k] }");
    const Solution s = solve(kernel, {{"M", 3}, {"K", 1}}).value();
    const auto fit = [&](const std::string& splits) {
        const auto fitted = fitting(steps_of(kernel, s, parse_splits(splits).value()).value());
        return fitted ? "fits" : format(fitted.error(), "");
    };
    EXPECT_EQ(fit("i=3"), "fits");
    EXPECT_EQ(fit("i=4"), "index `i` has 3 points, which do not make 4 shards\n  fix  split it into at most 3");
    EXPECT_EQ(fit("k=2"), "index `k` has 1 point, which does not make 2 shards\n  fix  do not split `k`");
}

}  // namespace
}  // namespace halogen
