// Signs of formulas: what is told is true of all values from the lower bounds up.

#include "frontend/formula/sign.h"
#include "tests/formula/random_formula.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {
namespace {

const Formula H = Formula::symbol("H"), N = Formula::symbol("N"), T = Formula::symbol("T"), W = Formula::symbol("W");

TEST(Sign, IsSeenThroughOperations) {
    EXPECT_TRUE(is_nonnegative(H - T * floor_div(H, T)));  // what a division leaves
    EXPECT_TRUE(is_nonnegative(T - 1 - remainder(H, T)));
    EXPECT_TRUE(is_nonnegative(max(H, N) - H));
    EXPECT_TRUE(is_nonnegative(H + W - min(H, N)));
    EXPECT_TRUE(is_nonnegative(max(H - N, N - H)));  // their sum is 0
    EXPECT_FALSE(is_nonnegative(H - N));
    EXPECT_FALSE(is_nonnegative(floor_div(H - N, 2)));
}

TEST(Sign, UsesLowerBounds) {
    EXPECT_FALSE(is_nonnegative(H * W - H));
    EXPECT_TRUE(is_nonnegative(H * W - H, {{"W", 1}}));
    EXPECT_TRUE(is_nonnegative(H - 8, {{"H", 8}}));
    EXPECT_FALSE(is_nonnegative(H - 8, {{"H", 7}}));
}

TEST(Sign, DecidesMinAndMax) {
    EXPECT_EQ(larger(H, H + W), H + W);
    EXPECT_EQ(smaller(H, H + W), H);
    EXPECT_EQ(larger(H, N), max(H, N));
    EXPECT_EQ(larger(max(H, N), H + 1), max(H + 1, N));  // H is beaten by H + 1
    EXPECT_EQ(smaller(H, 8, {{"H", 8}}), Formula(8));
}

TEST(Sign, OfASlackHoldsWhereAllConjunctsDo) {
    EXPECT_EQ(conjuncts(N - max(H, W)), (std::vector{N - H, N - W}));
    EXPECT_EQ(conjuncts(min(H, W) - 2 * max(N, T)), (std::vector{H - 2 * N, H - 2 * T, W - 2 * N, W - 2 * T}));
    EXPECT_EQ(conjuncts(max(H, W) - N), std::vector{max(H, W) - N});  // either will do: one condition
}

TEST(Sign, IsWhatEnumerationFinds) {
    test::Dice dice(test::seed_of_run());
    const Formula symbols[] = {H, N, T, W};
    test::RandomFormulas random{
        dice, [&] { return dice.chance(30) ? Formula(dice.between(-3, 5)) : symbols[dice.between(0, 3)]; }, T};
    int known = 0;
    for (int round = 0; round < 3000; ++round) {
        const Formula f = random.draw(3), g = random.draw(2);
        const LowerBounds bounds{{"H", dice.between(0, 3)}, {"T", 1}};
        const bool is_known = is_nonnegative(f, bounds);
        known += is_known;
        for (int i = 0; i < 10; ++i) {
            const Bindings at{{"H", bounds.at("H") + dice.between(0, 9)},
                              {"N", dice.between(0, 9)},
                              {"T", dice.between(1, 4)},
                              {"W", dice.between(0, 2)}};
            const std::int64_t x = evaluate(f, at), y = evaluate(g, at);
            ASSERT_TRUE(!is_known || x >= 0) << print(f);
            ASSERT_EQ(evaluate(larger(f, g, bounds), at), std::max(x, y)) << print(f) << ", " << print(g);
            ASSERT_EQ(evaluate(smaller(f, g, bounds), at), std::min(x, y)) << print(f) << ", " << print(g);
            const auto parts = conjuncts(f);
            ASSERT_EQ(std::ranges::all_of(parts, [&](const Formula& p) { return evaluate(p, at) >= 0; }), x >= 0)
                << print(f);
        }
    }
    EXPECT_GT(known, 300);
}

}  // namespace
}  // namespace halogen
