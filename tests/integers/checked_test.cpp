// Checked integers and fractions.

#include "frontend/base/checked.h"
#include "frontend/base/rational.h"

#include <gtest/gtest.h>

#include <limits>

namespace halogen {
namespace {

constexpr Wide most = ~(Wide(1) << 127);

ErrorKind kind_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Failure& failure) {
        return failure.error().kind;
    }
    return ErrorKind::usage;
}

TEST(Checked, SumsAndProductsPast128BitsAreErrors) {
    EXPECT_EQ(add(most - 1, 1), most);
    EXPECT_EQ(kind_of([] { add(most, 1); }), ErrorKind::overflow);
    EXPECT_EQ(kind_of([] { subtract(-most, 2); }), ErrorKind::overflow);
    EXPECT_EQ(kind_of([] { multiply(most, 2); }), ErrorKind::overflow);
}

TEST(Checked, NarrowKeepsWhatFits) {
    EXPECT_EQ(narrow(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(kind_of([] { narrow(Wide(1) << 63); }), ErrorKind::overflow);
    EXPECT_EQ(narrow_extent(Wide(1) << 62), largest_extent);
    EXPECT_EQ(kind_of([] { narrow_extent((Wide(1) << 62) + 1); }), ErrorKind::overflow);
}

TEST(Checked, DivisionRoundsTheWayItIsNamed) {
    for (int a = -20; a <= 20; ++a)
        for (int b : {-7, -3, -1, 1, 2, 5}) {
            const Wide floor = floor_div(a, b), ceil = ceil_div(a, b);
            EXPECT_LE(floor * b * (b < 0 ? -1 : 1), Wide(a) * (b < 0 ? -1 : 1)) << a << "/" << b;
            EXPECT_EQ(ceil - floor, a % b == 0 ? 0 : 1) << a << "/" << b;
        }
}

TEST(Checked, GcdIsNeverNegative) {
    EXPECT_EQ(gcd(-12, 18), 6);
    EXPECT_EQ(gcd(0, -5), 5);
    EXPECT_EQ(gcd(0, 0), 0);
}

TEST(Checked, NumbersPrintWhole) {
    EXPECT_EQ(to_string(Wide(0)), "0");
    EXPECT_EQ(to_string(-(Wide(1) << 64)), "-18446744073709551616");
}

TEST(Rational, IsInLowestTermsWithThePositiveDenominator) {
    EXPECT_EQ(Rational(6, -4), Rational(-3, 2));
    EXPECT_EQ(Rational(-3, 2).floor(), -2);
    EXPECT_EQ(Rational(-3, 2).ceil(), -1);
    EXPECT_TRUE(Rational(1, 3) < Rational(1, 2));
    EXPECT_EQ(Rational(1, 3) + Rational(1, 6), Rational(1, 2));
    EXPECT_EQ(Rational(2, 3) / Rational(-4, 9), Rational(-3, 2));
}

TEST(Range, MeetsUnitesAndShrinks) {
    Range r{Rational(1, 2), Rational(7, 2)};
    EXPECT_EQ(r.shrunk_to_integers(), (Range{Rational(1), Rational(3)}));
    EXPECT_TRUE(r.intersect({Rational(1), std::nullopt}));
    EXPECT_FALSE(r.intersect({std::nullopt, Rational(4)}));
    EXPECT_EQ(r, (Range{Rational(1), Rational(7, 2)}));
    r.unite({Rational(-1), std::nullopt});
    EXPECT_EQ(r, (Range{Rational(-1), std::nullopt}));
    EXPECT_EQ(Rational(-2) * (Range{Rational(1), std::nullopt}), (Range{std::nullopt, Rational(-2)}));
    EXPECT_TRUE((Range{Rational(1, 3), Rational(2, 3)}).shrunk_to_integers().is_empty());
}

}  // namespace
}  // namespace halogen
