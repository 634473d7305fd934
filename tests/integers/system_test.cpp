// Systems of facts: the values each unknown takes, and what is wrong where there are none.

#include "frontend/integers/system.h"
#include "tests/integers/box_oracle.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {
namespace {

const Formula a = Formula::symbol("a"), b = Formula::symbol("b"), c = Formula::symbol("c");

System of_unknowns(std::int64_t least = 1) {
    System s;
    for (const char* name : {"a", "b", "c"}) s.add_unknown(name, least);
    return s;
}

TEST(System, OneSolutionIsTheAnswer) {  // a + b = 10, a - b = 4, c = a/3
    System s = of_unknowns();
    s.add_equal(a + b, 10, 0);
    s.add_equal(a - b, 4, 1);
    s.add_equal(c, floor_div(a, 3), 2);
    const SystemAnswer answer = s.solve({});
    EXPECT_FALSE(answer.error);
    EXPECT_EQ(answer.values, (std::map<std::string, Wide>{{"a", 7}, {"b", 3}, {"c", 2}}));
}

TEST(System, WhatStaysOpenIsListedWithItsRange) {  // 3 <= a <= b <= 5
    System s = of_unknowns();
    s.add_at_most(3, a, 0);
    s.add_at_most(a, b, 1);
    s.add_at_most(b, 5, 2);
    s.add_equal(c, 1, 3);
    const SystemAnswer answer = s.solve({});
    EXPECT_EQ(answer.error, ErrorKind::underdetermined);
    EXPECT_EQ(answer.unresolved, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(answer.ranges.at("a"), (Range{Rational(3), Rational(5)}));
    EXPECT_EQ(s.solve({}, {"a", "b"}).values.at("b"), 3);  // the least of both, jointly
}

TEST(System, EachKindOfErrorIsTold) {
    const auto error = [](const Formula& left, const Formula& right) {
        System s = of_unknowns();
        s.add_equal(left, right, 0);
        return s.solve({{"b", 3}, {"c", 4}}).error;
    };
    EXPECT_EQ(error(b, c), ErrorKind::contradictory);        // 3 = 4
    EXPECT_EQ(error(2 * a, b), ErrorKind::non_integer);      // a is 3/2
    EXPECT_EQ(error(a + c, b), ErrorKind::negative);         // a is -1
    EXPECT_EQ(error(a * 0, 0), ErrorKind::underdetermined);  // a is anything
}

TEST(System, AClashNamesTheFewestNumbersAndRelations) {  // a + b = 5 against a = 2, b = 4; c has no part in it
    System s = of_unknowns();
    s.add_equal(a + b, 5, 7);
    s.add_equal(c, 2 * c - c, 8);
    const SystemAnswer answer = s.solve({{"a", 2}, {"b", 4}, {"c", 1}});
    EXPECT_EQ(answer.error, ErrorKind::contradictory);
    EXPECT_EQ(answer.conflict, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(answer.sources, std::vector{7});
}

TEST(System, OneOfTheAlternativesHolds) {  // a <= 2 or a >= 9, and a >= 4
    System s = of_unknowns();
    s.add_either({{{a, Relation::at_most, 2}}, {{9, Relation::at_most, a}}});
    s.add_at_most(4, a, 0);
    EXPECT_EQ(s.ranges({}).at("a"), (Range{Rational(9), std::nullopt}));
    EXPECT_TRUE(s.has_solution());
    s.add_at_most(a, 8, 1);
    EXPECT_FALSE(s.has_solution());
}

Formula random_sum(test::Dice& dice) {
    static const Formula unknowns[] = {a, b, c};
    const auto one = [&] { return unknowns[dice.between(0, 2)]; };
    const Formula atoms[] = {one(),
                             floor_div(one(), dice.between(2, 3)),
                             remainder(one(), dice.between(2, 3)),
                             min(one(), one() + dice.between(0, 2)),
                             max(one(), dice.between(1, 3)),
                             one() * one()};
    return one() * dice.between(-2, 2) + atoms[dice.between(0, 5)] * dice.between(1, 2) + dice.between(-3, 3);
}

TEST(System, RangesAreWhatEnumerationFinds) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 150; ++round) {
        System s = of_unknowns(0);
        for (const Formula& unknown : {a, b, c}) s.add_at_most(unknown, 4, -1);
        std::vector<std::pair<Formula, Relation>> facts;  // against 0
        for (int n = dice.between(1, 3); n > 0; --n) {
            facts.emplace_back(random_sum(dice), dice.chance(40) ? Relation::equal : Relation::at_most);
            s.add({facts.back().first, facts.back().second, 0, n});
        }
        std::map<std::string, Range> expected;
        test::each_point(3, 0, 4, [&](const test::Point& at) {
            const Bindings values{{"a", at[0]}, {"b", at[1]}, {"c", at[2]}};
            const bool all = std::ranges::all_of(facts, [&](const auto& fact) {
                const std::int64_t left = evaluate(fact.first, values);
                return fact.second == Relation::equal ? left == 0 : left <= 0;
            });
            if (!all) return;
            for (const auto& [name, value] : values) {
                const Range here{Rational(value), Rational(value)};
                expected.try_emplace(name, here).first->second.unite(here);
            }
        });
        std::string text;
        for (const auto& [f, relation] : facts)
            text += print(f) + (relation == Relation::equal ? " == 0, " : " <= 0, ");
        ASSERT_EQ(s.ranges({}), expected) << text;
        ASSERT_EQ(s.has_solution(), !expected.empty()) << text;
    }
}

}  // namespace
}  // namespace halogen
