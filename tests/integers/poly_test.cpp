// Polynomials: their operations against values at points.

#include "tests/integers/box_oracle.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

Poly random_poly(test::Dice& dice) {
    Poly p = Poly::number(dice.between(-3, 3));
    for (int terms = dice.between(0, 3); terms > 0; --terms) {
        Poly term = Poly::number(dice.between(-4, 4));
        for (int factors = dice.between(1, 2); factors > 0; --factors) term = term * Poly::unknown(dice.between(0, 2));
        p = p + term;
    }
    return p;
}

TEST(Poly, OneSumHasOneForm) {
    const Poly x = Poly::unknown(0), y = Poly::unknown(1);
    EXPECT_EQ((x + y) * (x - y), x * x - y * y);
    EXPECT_EQ(x - x, Poly{});
    EXPECT_TRUE((x + Wide(2) * y).is_linear());
    EXPECT_FALSE((x * y).is_linear());
    EXPECT_TRUE((x * y).holds(1));
    EXPECT_EQ((Wide(3) * y + x * y).linear_coefficient(1), 3);
}

TEST(Poly, OperationsAreThoseOfTheirValues) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 300; ++round) {
        const Poly a = random_poly(dice), b = random_poly(dice);
        test::each_point(3, -2, 2, [&](const test::Point& at) {
            const Wide u = test::value_at(a, at), v = test::value_at(b, at);
            ASSERT_EQ(test::value_at(a + b, at), u + v);
            ASSERT_EQ(test::value_at(a - b, at), u - v);
            ASSERT_EQ(test::value_at(a * b, at), u * v);
        });
    }
}

TEST(Poly, SubstitutionPutsAFractionInAndMultipliesItsDenominatorOut) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 200; ++round) {
        const Poly p = random_poly(dice), value = test::linear({0, dice.between(-2, 2), 1}, dice.between(-2, 2));
        int power = 0;
        const Poly q = substitute(p, 0, value, 2, power);
        test::each_point(3, -2, 2, [&](test::Point at) {
            const Wide x = test::value_at(value, at);
            if (x % 2 != 0) return;  // then x0 is no integer
            const Wide got = test::value_at(q, at);
            at[0] = static_cast<std::int64_t>(x / 2);
            ASSERT_EQ(got, test::value_at(p, at) << power);
        });
    }
}

}  // namespace
}  // namespace halogen
