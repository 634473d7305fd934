// Formulas backwards: every value that the closed form admits gives the wanted number, and no other does.

#include "frontend/formula/bound.h"
#include "tests/formula/random_formula.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <functional>

namespace halogen {
namespace {

Formula s(const char* name) { return Formula::symbol(name); }

/// The least and the largest value of the preimage; `open` where an end is missing.
constexpr std::int64_t open = -1000;
std::pair<std::int64_t, std::int64_t> ends(const Preimage& p, const Bindings& values) {
    const auto end = [&](const std::optional<Formula>& f) {
        if (!f) return open;
        try {
            return evaluate(*f, values);
        } catch (const Failure&) {
            return open;
        }
    };
    return {end(p.least), end(p.most)};
}

/// Tries every value of `symbol` up to 40 against the closed form, for every binding of the others up to 4.
void expect_exact(const Formula& f, const std::string& symbol) {
    const auto p = preimage(f, symbol, s("wanted"), s("wanted"));
    ASSERT_TRUE(p) << print(f);
    std::vector<std::string> others;
    for (const std::string& name : f.symbols())
        if (name != symbol) others.push_back(name);
    Bindings values;
    const std::function<void(std::size_t)> each = [&](std::size_t i) {
        if (i < others.size()) {
            for (values[others[i]] = 1; values[others[i]] <= 4; values[others[i]]++) each(i + 1);
            return;
        }
        for (std::int64_t wanted = 1; wanted <= 6; wanted++) {
            values["wanted"] = wanted;
            const auto [least, most] = ends(*p, values);
            for (std::int64_t x = 1; x <= 40; x++) {
                values[symbol] = x;
                const bool gives = evaluate(f, values) == wanted;
                const bool inside = (least == open || x >= least) && (most == open || x <= most);
                ASSERT_EQ(gives, inside) << print(f) << " with " << symbol << " = " << x << ", wanted " << wanted;
            }
        }
    };
    each(0);
}

TEST(Preimage, OfASumIsOneValue) {
    const auto p = preimage(s("H") - s("R") + Formula(1), "H", s("OH"), s("OH"));
    ASSERT_TRUE(p);
    EXPECT_EQ(print(*p->least), "OH + R - 1");
    EXPECT_EQ(print(*p->most), "OH + R - 1");
}

TEST(Preimage, OfAStridedWindowIsARunOfAsManyValuesAsTheStride) {
    const Formula f = floor_div(s("H") - s("R"), s("T")) + Formula(1);
    const auto p = preimage(f, "H", s("OH"), s("OH"));
    ASSERT_TRUE(p);
    EXPECT_EQ(ends(*p, {{"OH", 5}, {"R", 3}, {"T", 2}}), (std::pair<std::int64_t, std::int64_t>(11, 12)));
}

TEST(Preimage, AdmitsExactlyTheValuesThatGiveTheNumber) {
    expect_exact(floor_div(s("H") + Formula(2) * s("P"), s("T")) + Formula(1), "H");
    expect_exact(floor_div(s("H") + Formula(2) * s("P"), s("T")) + Formula(1), "P");
    expect_exact(s("A") * s("x") + s("B"), "x");
    expect_exact(floor_div(floor_div(s("x"), s("A")) + s("B"), Formula(3)), "x");
}

TEST(Preimage, OfADivisorIsFoundToo) {
    // Places 0, T, 2*T, ... up to 20: four of them for T = 6 alone (T = 5 has five).
    const auto p = preimage(floor_div(s("H"), s("T")) + Formula(1), "T", s("OH"), s("OH"));
    ASSERT_TRUE(p);
    EXPECT_EQ(ends(*p, {{"H", 20}, {"OH", 4}}), (std::pair<std::int64_t, std::int64_t>(6, 6)));
    EXPECT_EQ(ends(*p, {{"H", 20}, {"OH", 1}}), (std::pair<std::int64_t, std::int64_t>(21, open)));
}

TEST(Preimage, FallsWhereTheFormulaFalls) {
    const auto p = preimage(s("H") - s("D") * s("R") + s("D"), "R", s("OH"), s("OH"));
    ASSERT_TRUE(p);
    EXPECT_EQ(ends(*p, {{"H", 11}, {"D", 2}, {"OH", 7}}), (std::pair<std::int64_t, std::int64_t>(3, 3)));
    // No whole R gives 8: the run is empty.
    const auto [least, most] = ends(*p, {{"H", 11}, {"D", 2}, {"OH", 8}});
    EXPECT_GT(least, most);
}

TEST(Preimage, OfAQuotientBesideItsSymbolIsFoundTogether) {  // x/2 + x <= w where 3*x <= 2*w + 1
    expect_exact(floor_div(s("x"), Formula(2)) + s("x"), "x");
    const auto p = preimage(floor_div(s("x"), Formula(2)) + s("x"), "x", s("w"), s("w"));
    EXPECT_EQ(print(*p->most), "(2*w + 1)/3");
}

TEST(Preimage, IsRefusedWhereTheSymbolStandsTwice) {
    EXPECT_FALSE(preimage(remainder(s("x"), Formula(2)), "x", s("w"), s("w")));
    EXPECT_FALSE(preimage(s("x") * s("x"), "x", s("w"), s("w")));
    EXPECT_FALSE(preimage(s("y"), "x", s("w"), s("w")));
}

/// Under min and max there may be others between the ends, but none past them.
TEST(Preimage, LeavesNoValueOut) {
    test::Dice dice(test::seed_of_run());
    test::RandomFormulas random{
        dice, [&] { return dice.chance(45)   ? s("x")
                           : dice.chance(50) ? s("H")
                                             : Formula(dice.between(-3, 5)); },
        s("T")};
    int found = 0;
    for (int round = 0; round < 4000; ++round) {
        const Formula f = random.draw(3);
        const auto p = preimage(f, "x", s("low"), s("high"));
        found += p.has_value();
        for (int i = 0; p && i < 3; ++i) {
            const int low = dice.between(1, 20);
            Bindings at{
                {"H", dice.between(1, 9)}, {"T", dice.between(1, 4)}, {"low", low}, {"high", low + dice.between(0, 3)}};
            const auto [least, most] = ends(*p, at);
            for (std::int64_t x = 1; x <= 30; ++x) {
                at["x"] = x;
                const std::int64_t value = evaluate(f, at);
                if (value < at["low"] || at["high"] < value) continue;
                ASSERT_TRUE((least == open || least <= x) && (most == open || x <= most)) << print(f) << " at " << x;
            }
        }
    }
    EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace halogen
