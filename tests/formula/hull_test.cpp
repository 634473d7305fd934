// Hulls: the least and the largest value over a box of indices, against every point of the box.

#include "frontend/formula/hull.h"
#include "tests/formula/random_formula.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {
namespace {

const Formula i = Formula::symbol("i"), j = Formula::symbol("j"), N = Formula::symbol("N"), T = Formula::symbol("T"),
              R = Formula::symbol("R");

std::string text(const Hull& h) { return print(h.low) + " to " + print(h.high) + (h.exact ? "" : ", at most"); }

Box from_zero(const Formula& i_count, const Formula& j_count) {
    return {{"i", {0, i_count - 1}}, {"j", {0, j_count - 1}}};
}

TEST(Hull, OfAWindowEndsAtItsLastRead) {
    EXPECT_EQ(text(hull_of(T * i + j, from_zero(N, R))), "0 to R + T*(N - 1) - 1");
    EXPECT_EQ(text(hull_of(N - 1 - i, from_zero(N, R))), "0 to N - 1");
}

TEST(Hull, OfAQuotientAndARemainder) {
    EXPECT_EQ(text(hull_of(floor_div(i, 2), from_zero(N, R))), "0 to (N - 1)/2");
    EXPECT_EQ(text(hull_of(remainder(i, 4), from_zero(N, R))), "0 to min(N - 1, 3)");
}

TEST(Hull, ThatIsNotFoundContainsAllValues) {  // 0 to 3, which the two terms do not show
    EXPECT_EQ(text(hull_of(i - 4 * floor_div(i, 4), from_zero(8, R))), "-4 to 7, at most");
}

TEST(Hull, OfAPieceFromEach) {  // a tent: up to 5, then down
    EXPECT_EQ(text(hull_of(min(i, 10 - i), from_zero(11, 1))), "0 to 5");
}

TEST(Hull, KnowsThatAnIndexMayBeNegative) {  // here min(i, j) is i, and j/3 is 0
    EXPECT_EQ(text(hull_of(min(i, j) - floor_div(j, 3), {{"i", {-3, -1}}, {"j", {0, 2}}})), "-3 to -1");
}

TEST(Hull, OfACoefficientOfUnknownSignTakesBoth) {
    EXPECT_EQ(text(hull_of((N - T) * i, from_zero(R + 1, 1))), "min(0, R*(N - T)) to max(0, R*(N - T))");
}

TEST(Hull, IsWhatEnumerationFinds) {
    test::Dice dice(test::seed_of_run());
    test::RandomFormulas random{
        dice, [&] { return dice.chance(30)   ? Formula(dice.between(-4, 6))
                           : dice.chance(50) ? i
                                             : j; }, 3};
    int exact = 0;
    for (int round = 0; round < 3000; ++round) {
        const Formula f = random.draw(3);
        const int first = dice.between(-3, 3), last = first + dice.between(0, 7), count = dice.between(1, 6);
        const Hull h = hull_of(f, {{"i", {first, last}}, {"j", {0, count - 1}}});
        std::int64_t least = INT64_MAX, most = INT64_MIN;
        for (int x = first; x <= last; ++x) {
            for (int y = 0; y < count; ++y) {
                const std::int64_t v = evaluate(f, {{"i", x}, {"j", y}});
                least = std::min(least, v), most = std::max(most, v);
            }
        }
        const std::int64_t low = evaluate(h.low, {}), high = evaluate(h.high, {});
        exact += h.exact;
        ASSERT_TRUE(low <= least && most <= high) << print(f) << " over " << first << ":" << last << ", " << count;
        ASSERT_TRUE(!h.exact || (low == least && most == high))
            << print(f) << " over " << first << ":" << last << ", " << count << ": " << text(h);
    }
    EXPECT_GT(exact, 2000);
}

}  // namespace
}  // namespace halogen
