// Whole histories on the shadow nest: what the loops do for given sizes, and which steps are refused.

#include "schedules/bind/shadow.h"
#include "frontend/solve/solve.h"
#include "generators/run/builtin.h"
#include "generators/run/executor.h"
#include "schedules/history/parse.h"
#include "schedules/nest/print.h"
#include "schedules/recipes/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.front(); }

NestEffect effect_of(const ShadowRun& run) { return effect_of(run.nest, run.sizes); }

Result<ShadowRun> shadow_of(const char* text, const char* steps, const Settings& sizes) {
    const Kernel kernel = kernel_of(text);
    return run_shadow(kernel, solve_open(kernel), parse_history(steps).value(), sizes);
}

TEST(Shadow, TakesTheRecipeOfEveryBuiltInKernel) {
    for (const BuiltinKernel& builtin : builtin_kernels()) {
        const Kernel kernel = kernel_of(std::string(builtin.text));
        const Solution open = solve_open(kernel);
        for (const Leg& leg : all_legs())
            for (const int extent : {3, 12}) {
                Settings sizes;
                for (const std::string& symbol : open.symbols) sizes[symbol] = extent;
                for (const SizeParam& size : kernel.sizes) sizes[size.name] = size.default_value.value_or(1);
                if (!solve(kernel, sizes)) continue;
                const auto run = run_shadow(kernel, open, recipe(kernel, open, machine_of(leg)), sizes);
                ASSERT_TRUE(run) << builtin.name << ": " << run.error().what;
                for (const ShadowRefusal& refusal : run.value().refused)
                    ADD_FAILURE() << builtin.name << " " << leg.name << " " << extent << ": " << refusal.why;
            }
    }
}

TEST(Shadow, AStepOnSeveralLoopsOrOneThatCutsItsLoopIsAsItsParts) {
    const char* const map = "kernel k(X: i32[H, W]) -> Y: i32 { Y[i, j] = 2*X[i, j] }";
    const std::pair<const char*, const char*> rows[] = {
        {"Y.0 vectorize j by 4 -> o, v tail guard\n", "Y.0 split j -> o, v by 4 tail guard\nY.0 vectorize v\n"},
        {"Y.0 parallel i by 2 -> tasks, i tail guard\n",
         "Y.0 split i -> tasks, i by 2 tail guard\nY.0 parallel tasks\n"},
        {"Y.0 parallel i, j\n", "Y.0 parallel j\nY.0 parallel i\n"},
    };
    for (const auto& [whole, parts] : rows) {
        const auto a = shadow_of(map, whole, {{"H", 5}, {"W", 7}}), b = shadow_of(map, parts, {{"H", 5}, {"W", 7}});
        EXPECT_TRUE(a.value().refused.empty()) << whole;
        EXPECT_EQ(print(a.value().nest), print(b.value().nest)) << whole;
    }
    const auto sum =
        shadow_of("kernel k(X: i32[H, W]) -> Y: i32 { Y[i] += X[i, j] }",
                  "Y_value.0 compute_root\nY_value.1 vectorize j by 4 -> o, v tail guard\n", {{"H", 5}, {"W", 7}})
            .value();
    ASSERT_EQ(sum.refused.size(), 1U);
    EXPECT_EQ(sum.refused[0].why.substr(0, 78),
              "step `Y_value.1 vectorize j by 4 -> o, v tail guard`: iterations of `v` depend")
        << "as it is written";
}

const char* const blur =
    "kernel k(X: i32[N]) -> Y: i32 { B[i] = X[i] + X[i+1]; Y[i] = B[i] + B[i+1] where i in 0:N-2 }";

// B has N-1 = 9 elements, Y 8. Pasted into Y_value (two uses), nothing is stored but Y; whole, 9 elements are; in tiles of 4, 5 for
// each of two tiles, of which one is computed twice.
TEST(Shadow, CountsWorkAndStorageOfEveryPlaceOfAProducer) {
    const auto pasted = effect_of(shadow_of(blur, "", {{"N", 10}}).value());
    EXPECT_EQ(pasted.stores, 8);
    EXPECT_EQ(pasted.loads, 8 * 4);
    EXPECT_EQ(pasted.storage, 0);
    const auto whole = effect_of(shadow_of(blur, "B.0 compute_root\n", {{"N", 10}}).value());
    EXPECT_EQ(whole.stores, 9 + 8);
    EXPECT_EQ(whole.loads, 9 * 2 + 8 * 2);
    EXPECT_EQ(whole.storage, 9);
    const auto tiled =
        shadow_of(blur, "B.0 compute_at Y.o\nY.0 split i -> o, v by 4 tail guard\n", {{"N", 10}}).value();
    EXPECT_TRUE(tiled.refused.empty());
    EXPECT_EQ(print(effect_of(tiled)),
              "cost 92, work 18, loads 36, stores 18, storage 5 elements; stored in B 10, Y 8");
}

// Tiles far wider than the sizes: guards leave out all but eight of their steps, which nobody counts one by one.
TEST(Shadow, StopsCountingWhereTilesTakeStepsWithoutPoints) {
    const auto wide =
        shadow_of(blur, "B.0 compute_root\nY.0 split i -> o, v by 1000000 tail guard\n", {{"N", 10}}).value();
    EXPECT_EQ(print(effect_of(wide)), "not counted: more than 500000 loop steps");
}

// The scatter's place is B, pasted or read through a copy: nothing reads B itself then.
TEST(Shadow, RewritesReadsInBracketsOfTheLeftSide) {
    const char* const scatter =
        "kernel k(I: i32[N], W: i32[N]) -> H: i32[8] { B[i] = I[i] + 1; H[B[i]] += W[i] where B[i] > 0 }";
    const auto pasted = shadow_of(scatter, "", {{"N", 4}}).value();
    EXPECT_THAT(print(pasted.nest), testing::HasSubstr("H_value[i32(I[i] + 1)] += W[i] where i32(I[i] + 1) > 0"));
    EXPECT_EQ(effect_of(pasted).loads, 4 * 3 + 8);  // I twice, W once; and 8 sums are taken over into H
    const auto cached =
        shadow_of(scatter, "B.0 compute_root\nH_value.1 cache_reads B -> Bc H_value.i\n", {{"N", 4}}).value();
    EXPECT_THAT(print(cached.nest), testing::HasSubstr("H_value[Bc[i]] += W[i] where Bc[i] > 0"));
}

// An element takes two loads, a sum and a store: 4 for each of the 10 of B and, in vectors of 4, of the 2 vectors of Y; and the loops
// have 2 steps over tiles and 10 over B.
TEST(Shadow, CountsAVectorOnce) {
    const auto cost = [](const char* steps) { return effect_of(shadow_of(blur, steps, {{"N", 10}}).value()).cost; };
    EXPECT_EQ(cost("B.0 compute_at Y.o\nY.0 split i -> o, v by 4 tail guard\n"), (10 + 8) * 4 + 2 + 10 + 8);
    EXPECT_EQ(cost("B.0 compute_at Y.o\nY.0 split i -> o, v by 4 tail guard\nY.0 vectorize v\n"),
              (10 + 2) * 4 + 2 + 10);
}

TEST(Shadow, TakesTheBranchThatHoldsAtTheGivenSizes) {
    const char* const steps =
        "Y.0 specialize when N >= 16\n  Y.0 split i -> o, v by 8 tail guard\nY.0 split i -> p, w by 2 tail guard\n";
    const char* const kernel = "kernel k(X: i32[N]) -> Y: i32[N] { Y[i] = X[i] }";
    EXPECT_THAT(print(shadow_of(kernel, steps, {{"N", 16}}).value().nest), testing::HasSubstr("for o "));
    EXPECT_THAT(print(shadow_of(kernel, steps, {{"N", 15}}).value().nest), testing::HasSubstr("for p "));
}

TEST(Shadow, TellsWhatItRefuses) {
    const auto run = shadow_of("kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }",
                               "Y_value.2 parallel i\n", {{"N", 8}})
                         .value();
    ASSERT_EQ(run.refused.size(), 1u);
    EXPECT_THAT(run.refused[0].why, testing::StartsWith("step `Y_value.2 parallel i`: "));
}

TEST(Shadow, WantsAllSizesAndFewPoints) {
    const char* const kernel = "kernel k(X: i32[N]) -> Y: i32[N] { Y[i] = X[i] }";
    const auto open = shadow_of(kernel, "", {{"N", std::nullopt}});
    EXPECT_EQ(open.error().what, "size `N` of kernel `k` is open");
    EXPECT_EQ(open.error().fix, "give it with --set N=INT; the shadow nest counts every iteration");
    const auto large = shadow_of(kernel, "", {{"N", 30000000}});
    EXPECT_EQ(large.error().what, "kernel `k` has more than 20000000 points at these sizes");
    EXPECT_EQ(large.error().fix, "give smaller ones with --set: the shadow nest visits each point");
}

}  // namespace
}  // namespace halogen
