// The least value of a form: over the rationals (simplex), over the integers (least), of every unknown (explore).

#include "frontend/integers/explore.h"
#include "frontend/integers/least.h"
#include "frontend/integers/simplex.h"
#include "tests/integers/box_oracle.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {
namespace {

using test::linear;

TEST(Simplex, TheLeastValueLiesAtACorner) {  // x >= 0, y >= 0, 2x + 3y >= 7: least x + y is 7/3 at (0, 7/3)
    Budget budget(1000);
    const Optimum best = minimize({{{1, 0}, 0}, {{0, 1}, 0}, {{2, 3}, -7}}, {1, 1}, budget);
    EXPECT_EQ(best.kind, Optimum::Kind::attained);
    EXPECT_EQ(best.value, Rational(7, 3));
    EXPECT_EQ(best.point, (std::vector<Rational>{Rational(0), Rational(7, 3)}));
}

TEST(Simplex, TellsNoPointFromNoEnd) {
    Budget budget(1000);
    EXPECT_EQ(minimize({{{1}, -3}, {{-1}, 2}}, {1}, budget).kind, Optimum::Kind::no_point);  // x >= 3, x <= 2
    EXPECT_EQ(minimize({{{-1}, 2}}, {1}, budget).kind, Optimum::Kind::unbounded);            // x <= 2
}

TEST(Least, IntegersAreDearerThanRationals) {  // 2x + 3y >= 7 over the integers from 0: x + y is 3
    Rows rows(2, true);
    for (const auto& unit : {linear({1, 0}, 0), linear({0, 1}, 0), linear({2, 3}, -7)}) rows.add_nonnegative(unit);
    Budget budget(1000);
    const Least least = least_of(rows, linear({1, 1}, 0), budget);
    EXPECT_EQ(least.kind, Least::Kind::attained);
    EXPECT_EQ(least.value, Rational(3));
}

TEST(Least, AHardQuestionEndsAsAnError) {
    Rows rows(2, true);
    rows.add(linear({3, -5}, 0), {Rational(1), std::nullopt});
    Budget budget(0);
    try {
        least_of(rows, linear({7, -11}, 0), budget);
        FAIL() << "the budget of no steps was enough";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().kind, ErrorKind::too_complex);
    }
}

struct Random {
    Rows rows{3, true};
    std::vector<std::pair<Poly, Range>> facts;
    bool hold(const test::Point& at) const {
        return std::all_of(facts.begin(), facts.end(), [&](const auto& f) {
            const Rational v(test::value_at(f.first, at));
            return (!f.second.lo || *f.second.lo <= v) && (!f.second.hi || v <= *f.second.hi);
        });
    }
};

/// Rows within the cube [0, 4]^3, sometimes with a product.
Random random_rows(test::Dice& dice, bool products) {
    Random r;
    const auto add = [&](Poly p, Range range) {
        r.rows.add(p, range);
        r.facts.emplace_back(std::move(p), range);
    };
    for (int x = 0; x < 3; ++x) add(Poly::unknown(x), {Rational(0), Rational(4)});
    for (int n = dice.between(1, 3); n > 0; --n) {
        Poly p = linear({dice.between(-5, 5), dice.between(-5, 5), dice.between(-5, 5)}, dice.between(-9, 9));
        if (products && dice.chance(40)) p = p + Poly::unknown(dice.between(0, 2)) * Poly::unknown(dice.between(0, 2));
        add(std::move(p), dice.chance(30) ? Range{Rational(0), Rational(0)} : Range{Rational(0), std::nullopt});
    }
    return r;
}

TEST(Least, IsWhatEnumerationFinds) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 500; ++round) {
        const Random r = random_rows(dice, false);
        const Poly form = linear({dice.between(-4, 4), dice.between(-4, 4), dice.between(-4, 4)}, 1);
        std::optional<Wide> expected;
        test::each_point(3, 0, 4, [&](const test::Point& at) {
            if (r.hold(at) && (!expected || test::value_at(form, at) < *expected)) expected = test::value_at(form, at);
        });
        Budget budget(100'000);
        const Least least = least_of(r.rows, form, budget);
        ASSERT_EQ(least.kind, expected ? Least::Kind::attained : Least::Kind::no_solution) << "round " << round;
        if (expected) {
            ASSERT_EQ(least.value, Rational(*expected)) << "round " << round;
        }
    }
}

TEST(Explore, RangesAreWhatEnumerationFinds) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 500; ++round) {
        const Random r = random_rows(dice, true);
        std::optional<std::vector<Range>> expected;
        test::each_point(3, 0, 4, [&](const test::Point& at) {
            if (!r.hold(at)) return;
            std::vector<Range> here;
            for (const std::int64_t v : at) here.push_back({Rational(v), Rational(v)});
            if (!expected)
                expected = here;
            else
                for (int x = 0; x < 3; ++x) (*expected)[x].unite(here[x]);
        });
        Budget budget(1'000'000);
        ASSERT_EQ(ranges_of_solutions(r.rows, 3, budget), expected) << "round " << round;
        ASSERT_EQ(has_solution(r.rows, budget), expected.has_value()) << "round " << round;
    }
}

}  // namespace
}  // namespace halogen
