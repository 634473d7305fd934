// Formulas: one form for equal ones, and a form that keeps the value.

#include "frontend/formula/formula.h"
#include "frontend/formula/sign.h"
#include "frontend/notation/program.h"
#include "frontend/solve/place.h"
#include "tests/formula/random_formula.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

const Formula H = Formula::symbol("H"), P = Formula::symbol("P"), T = Formula::symbol("T"), W = Formula::symbol("W"),
              C = Formula::symbol("C");

/// The formula that the notation reads from a text in brackets.
Formula read(const std::string& text) {
    const auto program = parse("Y[i] = A[i, " + text + "]").value();
    std::vector<PlaceCondition> divisors;
    Symbols symbols;
    return place_formula(program.kernels[0].equations[0].right.as<Access>()->at[1], divisors, symbols).value();
}

TEST(Formula, EqualPolynomialsHaveOneForm) {
    EXPECT_EQ((H + W) * (H - W), H * H - W * W);
    EXPECT_EQ(floor_div(H * T + T, T), H + 1);
    EXPECT_EQ(floor_div(6 * H + 4, 4), H + 1 + floor_div(H, 2));  // (6H + 4)/4 = H + 1 + 2H/4
    EXPECT_EQ(floor_div(floor_div(H, 2) + 1, 3), floor_div(H + 2, 6));
    EXPECT_EQ(floor_div(C * H, C * W), floor_div(H, W));
    EXPECT_EQ(remainder(4 * H + 7, 4), Formula(3));
    EXPECT_EQ(max(H + 1, max(H, W)), max(W, H + 1));
    EXPECT_EQ(min(H, H), H);
}

/// The same operations on numbers: what canonical forms must not change. Also: the print reads back to the same formula.
TEST(Formula, SimplifyingKeepsValuesAndPrintsReadBack) {
    test::Dice dice(test::seed_of_run());
    const Formula symbols[] = {H, W, T, P};
    test::RandomFormulas random{
        dice, [&] { return dice.chance(40) ? Formula(dice.between(-5, 9)) : symbols[dice.between(0, 3)]; }, T};
    for (int i = 0; i < 3000; ++i) {
        const Formula a = random.draw(2), b = random.draw(2);
        const int c = dice.between(1, 7);
        const Bindings at{{"H", dice.between(0, 30)},
                          {"W", dice.between(0, 30)},
                          {"T", dice.between(1, 5)},
                          {"P", dice.between(0, 4)}};
        const std::int64_t x = evaluate(a, at), y = evaluate(b, at), t = at.at("T");
        const auto floored = [](std::int64_t n, std::int64_t d) { return n >= 0 ? n / d : -((-n + d - 1) / d); };
        EXPECT_EQ(evaluate(a + b, at), x + y);
        EXPECT_EQ(evaluate(a - b, at), x - y);
        EXPECT_EQ(evaluate(a * b, at), x * y);
        EXPECT_EQ(evaluate(floor_div(a, c), at), floored(x, c)) << print(a) << " by " << c;
        EXPECT_EQ(evaluate(floor_div(a, T), at), floored(x, t)) << print(a) << " by T";
        EXPECT_EQ(evaluate(floor_div(a, c * T + 1), at), floored(x, c * t + 1)) << print(a);
        EXPECT_EQ(evaluate(remainder(a, c), at), x - c * floored(x, c)) << print(a) << " by " << c;
        EXPECT_EQ(evaluate(remainder(a, T), at), x - t * floored(x, t)) << print(a);
        EXPECT_EQ(evaluate(max(a, b), at), std::max(x, y));
        EXPECT_EQ(evaluate(min(a, b), at), std::min(x, y));
        EXPECT_EQ(read(print(a)), a) << print(a);
        if (is_nonnegative(a)) {
            EXPECT_GE(x, 0) << print(a);
        }
    }
}

}  // namespace
}  // namespace halogen
