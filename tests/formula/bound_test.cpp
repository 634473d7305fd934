// Bounds of one symbol, against every value of it.

#include "frontend/formula/bound.h"
#include "tests/formula/random_formula.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {
namespace {

const Formula H = Formula::symbol("H"), R = Formula::symbol("R"), T = Formula::symbol("T"), v = Formula::symbol("v");

TEST(Bound, OfAWindowIsTheNumberOfItsPlaces) {  // T*(v - 1) + R <= H
    std::vector<Formula> positive;
    EXPECT_EQ(print(*largest_with_nonpositive(T * (v - 1) + R - H, "v", positive)), "(H - R)/T + 1");
    EXPECT_EQ(positive, std::vector{T});
}

TEST(Bound, FromBelowRoundsUp) {  // (v - 1)/2 + 1 >= 4 from 7 on
    std::vector<Formula> positive;
    EXPECT_EQ(*least_with_nonnegative(floor_div(v - 1, 2) + 1 - 4, "v", positive), Formula(7));
    EXPECT_TRUE(positive.empty());
}

TEST(Bound, OfAQuotientBesideItsSymbolIsFoundTogether) {  // v/2 + v <= H, that is 3*v - 1 <= 2*H
    std::vector<Formula> positive;
    EXPECT_EQ(print(*largest_with_nonpositive(floor_div(v, 2) + v - H, "v", positive)), "(2*H + 1)/3");
}

TEST(Bound, IsNothingOnTheOtherSide) {
    std::vector<Formula> positive;
    EXPECT_FALSE(largest_with_nonpositive(H - v, "v", positive));
    EXPECT_FALSE(least_with_nonnegative(H - v, "v", positive));
    EXPECT_FALSE(largest_with_nonpositive(v * v - H, "v", positive));
    EXPECT_FALSE(largest_with_nonpositive(remainder(v, 3) - H, "v", positive));
    EXPECT_FALSE(largest_with_nonpositive(min(v, 4) - H, "v", positive));
}

TEST(Bound, ThatDoesNotAlwaysHoldSaysWhere) {  // min(v, 4) <= H: v <= H, but where H >= 4 any v
    const auto bound = largest_where_bounded(min(v, 4) - H, "v");
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound->value, H);
    EXPECT_EQ(bound->unless, std::vector{H - 4});
    EXPECT_TRUE(bound->decides);
}

TEST(Bound, MentionsLooksIntoOperations) {
    EXPECT_TRUE(mentions(max(H, floor_div(R, v)), "v"));
    EXPECT_FALSE(mentions(max(H, R) - R, "v"));
}

/// No v with f(v) <= 0 is past the largest, and f(v) >= 0 holds from the least on and nowhere else: for every value of the
/// rest that makes the factors `positive` so.
TEST(Bound, IsWhatEnumerationFinds) {
    constexpr int most = 25;
    test::Dice dice(test::seed_of_run());
    test::RandomFormulas random{
        dice, [&] { return dice.chance(45)   ? v
                           : dice.chance(50) ? H
                                             : Formula(dice.between(-3, 5)); }, T};
    int bounds = 0, conditional = 0;
    for (int round = 0; round < 4000; ++round) {
        const Formula f = random.draw(3);
        std::vector<Formula> positive;
        const auto largest = largest_with_nonpositive(f, "v", positive),
                   least = least_with_nonnegative(f, "v", positive);
        const auto where = largest_where_bounded(f, "v");
        bounds += largest || least;
        conditional += where && !where->unless.empty();
        for (int i = 0; i < 4; ++i) {
            Bindings at{{"H", dice.between(0, 9)}, {"T", dice.between(1, 3)}, {"v", 0}};
            const auto is_met = [&](const Formula& g) { return evaluate(g, at) >= 0; };
            const bool is_taken = std::ranges::all_of(positive, [&](const Formula& g) { return evaluate(g, at) > 0; });
            const bool is_bounded = where && std::ranges::none_of(where->unless, is_met);
            for (std::int64_t value = -most; value <= most; ++value) {
                at["v"] = value;
                const std::int64_t x = evaluate(f, at);
                const auto message = [&] { return print(f) + " at v = " + std::to_string(value); };
                // There may be none at all up to the bound: max(v, H) <= 3 for H = 4.
                ASSERT_TRUE(!largest || !is_taken || x > 0 || value <= evaluate(*largest, at)) << message();
                ASSERT_TRUE(!least || !is_taken || (x >= 0) == (value >= evaluate(*least, at))) << message();
                ASSERT_TRUE(!is_bounded || x > 0 || value <= evaluate(where->value, at)) << message();
                if (where && where->decides) {
                    ASSERT_EQ(x <= 0, !is_bounded || value <= evaluate(where->value, at)) << message();
                }
            }
        }
    }
    EXPECT_GT(bounds, 800);
    EXPECT_GT(conditional, 50);
}

}  // namespace
}  // namespace halogen
