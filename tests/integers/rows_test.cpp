// Rows: elimination and propagation never lose a solution, and see what one row alone rules out.

#include "frontend/integers/rows.h"
#include "tests/integers/box_oracle.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using test::linear;

Range from_to(int lo, int hi) { return {Rational(lo), Rational(hi)}; }

TEST(Rows, AnEqualityWhoseCoefficientsDoNotDivideHasNoIntegers) {  // 4a + 6b = 15
    Rows integers(2, true), rationals(2, false);
    for (Rows* rows : {&integers, &rationals}) rows->add_equal(linear({4, 6}, -15));
    EXPECT_FALSE(integers.settle());
    EXPECT_TRUE(rationals.settle());
}

TEST(Rows, BoundsAreRoundedToWhatIntegersReach) {  // 1 <= 3a <= 8
    Rows rows(1, true);
    rows.add(linear({3}, 0), from_to(1, 8));
    ASSERT_TRUE(rows.settle());
    EXPECT_EQ(rows.bounds(0), from_to(1, 2));
}

TEST(Rows, TwoEqualitiesFixTwoUnknowns) {  // a + b = 10, a - b = 4
    Rows rows(2, true);
    rows.add_equal(linear({1, 1}, -10));
    rows.add_equal(linear({1, -1}, -4));
    ASSERT_TRUE(rows.settle());
    EXPECT_EQ(rows.values(linear({1, 0}, 0)), (Range{}));  // eliminated: asked through `reduced`
    Wide denominator = 1;
    const Poly a = rows.reduced(linear({1, 0}, 0), denominator);
    EXPECT_EQ(a, Poly::number(7 * denominator));
}

TEST(Rows, AProductIsBoundedByItsFactors) {  // 2 <= a, 3 <= b, a*b <= 7: a in 2:2, b = 3
    Rows rows(2, true);
    rows.add(linear({1, 0}, 0), {Rational(2), std::nullopt});
    rows.add(linear({0, 1}, 0), {Rational(3), std::nullopt});
    rows.add(Poly::unknown(0) * Poly::unknown(1), {std::nullopt, Rational(7)});
    ASSERT_TRUE(rows.settle());
    Wide denominator = 1;
    EXPECT_EQ(rows.reduced(linear({0, 1}, 0), denominator), Poly::number(3 * denominator));
}

/// Whatever `settle` says of random rows, every solution in a cube lies within its bounds.
TEST(Rows, NoSolutionIsLost) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 1000; ++round) {
        Rows rows(3, true);
        std::vector<std::pair<Poly, Range>> facts;
        for (int i = 0; i < 3; ++i) {
            std::vector<int> unit(3);
            unit[i] = 1;
            facts.emplace_back(linear(unit, 0), from_to(-3, 3));
        }
        for (int n = dice.between(1, 3); n > 0; --n) {
            const int lo = dice.between(-6, 6);
            facts.emplace_back(
                linear({dice.between(-3, 3), dice.between(-3, 3), dice.between(-3, 3)}, dice.between(-2, 2)),
                from_to(lo, lo + (dice.chance(50) ? 0 : dice.between(0, 4))));
        }
        for (const auto& [p, range] : facts) rows.add(p, range);
        const bool open = rows.settle();
        test::each_point(3, -3, 3, [&](const test::Point& at) {
            for (const auto& [p, range] : facts) {
                const Rational v(test::value_at(p, at));
                if (v < *range.lo || *range.hi < v) return;
            }
            ASSERT_TRUE(open) << "seed round " << round;
            for (int x = 0; x < 3; ++x) {
                if (rows.is_eliminated(x)) continue;
                const Range& b = rows.bounds(x);
                ASSERT_TRUE((!b.lo || *b.lo <= Rational(at[x])) && (!b.hi || Rational(at[x]) <= *b.hi));
            }
        });
    }
}

}  // namespace
}  // namespace halogen
