// Formulas: canonical, exact, printed as a person would write them.

#include "frontend/formula/formula.h"
#include "frontend/formula/bound.h"
#include "frontend/formula/sign.h"
#include "frontend/notation/program.h"
#include "frontend/solve/place.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

const Formula H = Formula::symbol("H"), P = Formula::symbol("P"), D = Formula::symbol("D"), R = Formula::symbol("R"),
              T = Formula::symbol("T"), W = Formula::symbol("W"), C = Formula::symbol("C");

/// The formula that the notation reads from a text in brackets.
Formula read(const std::string& text) {
    const auto program = parse("Y[i] = A[i, " + text + "]").value();
    std::vector<PlaceCondition> divisors;
    Symbols symbols;
    return place_formula(program.kernels[0].equations[0].right.as<Access>()->at[1], divisors, symbols).value();
}

TEST(Formula, PrintsAsAPersonWouldWriteIt) {
    const std::pair<Formula, std::string> rows[] = {
        {floor_div(H + 2 * P - D * (R - 1) - 1, T) + 1, "(H + 2*P - D*(R - 1) - 1)/T + 1"},
        {floor_div(H - 3, 2) + 1, "(H - 1)/2"},
        {1 - H, "1 - H"},
        {0, "0"},
        {-H, "-H"},
        {3 * floor_div(H, T) - H, "3*(H/T) - H"},
        {T * (H - 1) + R, "R + T*(H - 1)"},
        {remainder(H + 5, 4), "(H + 1) % 4"},
        {max(H, P) + 1, "max(H, P) + 1"},
        {C * H * W, "C*H*W"},
        {ceil_div(H, 4), "(H + 3)/4"},
        {floor_div(H * W, 2), "H*W/2"},
        {floor_div(-H, 2), "(-H)/2"},
        {-floor_div(H, 2), "-(H/2)"},
        {(H - R + 1) * (W - P + 1), "(H - R + 1)*(W - P + 1)"},
    };
    for (const auto& [f, text] : rows) EXPECT_EQ(print(f), text);
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

TEST(Formula, EvaluatesExactlyUpTo2To62) {
    const std::int64_t large = std::int64_t{1} << 61;
    EXPECT_EQ(evaluate(2 * H, {{"H", large}}), large * 2);
    EXPECT_EQ(evaluate(floor_div(H * W, W), {{"H", large}, {"W", large}}), large);  // 2^122 inside
    EXPECT_EQ(evaluate(floor_div(-H, 2), {{"H", 5}}), -3);
    EXPECT_EQ(evaluate(remainder(-H, 4), {{"H", 5}}), 3);
}

TEST(Formula, FailuresOfEvaluationAreErrors) {
    const auto error = [](auto&& body) {
        try {
            body();
        } catch (const Failure& f) {
            return format(f.error(), "-e");
        }
        return std::string("no error");
    };
    EXPECT_EQ(error([] { evaluate(H, {}); }), "-e: `H` has no value\n  fix  set it: --set H=INT");
    EXPECT_EQ(error([] { evaluate(floor_div(H, T), {{"H", 3}, {"T", 0}}); }),
              "-e: the divisor `T` is 0\n  fix  a divisor must be at least 1");
    EXPECT_EQ(error([] { evaluate(4 * H, {{"H", std::int64_t{1} << 61}}); }),
              "-e: the size 9223372036854775808 is past 2^62\n  fix  use smaller sizes");
    EXPECT_EQ(error([] {
                  Formula f = H * (std::int64_t{1} << 40);
                  f = f * (std::int64_t{1} << 40);
              }),
              "-e: the number 1208925819614629174706176 leaves 64 bits\n  fix  use smaller sizes");
}

TEST(Formula, LargestAndLeastInvertHulls) {
    std::vector<Formula> positive;
    // T*(v - 1) + R <= H: v = (H - R)/T + 1
    EXPECT_EQ(print(*largest_with_nonpositive(T * (W - 1) + R - H, "W", positive)), "(H - R)/T + 1");
    ASSERT_EQ(positive.size(), 1U);
    EXPECT_EQ(positive[0], T);
    // (v - 1)/2 + 1 >= 4: v = 7
    EXPECT_EQ(*least_with_nonnegative(floor_div(W - 1, 2) + 1 - 4, "W", positive), Formula(7));
    EXPECT_FALSE(largest_with_nonpositive(H - W, "W", positive));
}

Formula random_formula(test::Dice& dice, int depth) {
    static const Formula atoms[] = {H, W, T, P};
    if (depth == 0) return dice.chance(40) ? Formula(dice.between(-5, 9)) : atoms[dice.between(0, 3)];
    const Formula a = random_formula(dice, depth - 1), b = random_formula(dice, depth - 1);
    switch (dice.between(0, 8)) {
    case 0: return floor_div(a, dice.between(1, 6));
    case 1: return floor_div(a, T);
    case 2: return remainder(a, dice.between(1, 6));
    case 3: return min(a, b);
    case 4: return max(a, b);
    case 5: return a * b;
    case 6: return a - b;
    default: return a + b;
    }
}

/// The same operations on numbers: what canonical forms must not change. Also: the print reads back to the same formula.
TEST(Formula, SimplifyingKeepsValuesAndPrintsReadBack) {
    test::Dice dice(test::seed_of_run());
    for (int i = 0; i < 3000; ++i) {
        const Formula a = random_formula(dice, 2), b = random_formula(dice, 2);
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
