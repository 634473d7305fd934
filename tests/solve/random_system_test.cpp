// Random systems of facts over up to seven sizes of at most 7, against plain enumeration of all values.

#include "tests/solve/small_systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace halogen {
namespace {

using test::Dice;
using test::largest_value;
using test::Point;
using test::SmallSystem;

std::string name_of(int i) { return std::string(1, static_cast<char>('a' + i)); }

std::string text_of(const Range& r) {
    const auto end = [](const std::optional<Rational>& v) {
        return !v ? "-" : v->is_integer() ? to_string(v->num) : to_string(v->num) + "/" + to_string(v->den);
    };
    return end(r.lo) + ".." + end(r.hi);
}

/// How many systems each kind of answer was right for.
struct Counts {
    int solved = 0, several = 0, none = 0, too_complex = 0;
};

void compare(const SmallSystem& s, const std::vector<Point>& solutions, Counts& counts) {
    const SystemAnswer answer = s.system().solve(s.bindings());
    if (solutions.empty()) {
        ASSERT_TRUE(answer.error) << s.text();
        ASSERT_NE(*answer.error, ErrorKind::underdetermined) << s.text();
        ++counts.none;
        return;
    }
    for (int i = 0; i < s.unknowns; ++i) {
        int low = largest_value, high = 1;
        for (const auto& p : solutions) low = std::min(low, p[i]), high = std::max(high, p[i]);
        ASSERT_TRUE(answer.ranges.contains(name_of(i))) << s.text();
        ASSERT_EQ(text_of(answer.ranges.at(name_of(i))), text_of({Rational(low), Rational(high)}))
            << name_of(i) << " in " << s.text();
    }
    ASSERT_EQ(answer.error.has_value(), solutions.size() > 1) << s.text();
    ++(solutions.size() > 1 ? counts.several : counts.solved);
}

/// Runs `check`, where a cap may end it: then it counts as too complex and nothing else.
template<typename Check>
void unless_capped(const SmallSystem& s, Counts& counts, Check&& check) {
    try {
        check();
    } catch (const Failure& failure) {
        ASSERT_EQ(failure.error().kind, ErrorKind::too_complex) << s.text() << failure.error().what;
        ++counts.too_complex;
    }
}

TEST(RandomSystem, RangesOf100000SystemsAreThoseOfEnumeration) {
    Dice dice(test::seed_of_run());
    const int rounds = 100'000;
    const auto begin = std::chrono::steady_clock::now();
    Counts counts;
    for (int i = 0; i < rounds; ++i) {
        const SmallSystem s = test::random_system(dice);
        unless_capped(s, counts, [&] { compare(s, s.enumerate(1), counts); });
        if (testing::Test::HasFatalFailure()) return;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << rounds << " systems agree with enumeration: " << counts.solved << " with one solution, "
              << counts.several << " with several, " << counts.none << " with none; " << counts.too_complex
              << " too complex; " << seconds.count() << " s\n";
    EXPECT_LT(counts.too_complex, rounds / 1000);
}

/// Sizes of which every fact holds most: neither eliminations nor bounds take them apart.
TEST(RandomSystem, RangesOfCoupledSystemsAreThoseOfEnumeration) {
    Dice dice(test::seed_of_run(6));
    for (const test::Shape shape : {test::Shape::linear, test::Shape::affine, test::Shape::any}) {
        const int rounds = 1'000;
        Counts counts;
        double slowest = 0;
        for (int i = 0; i < rounds; ++i) {
            const SmallSystem s = test::coupled_system(dice, shape);
            const auto solutions = s.enumerate(1);
            const auto begin = std::chrono::steady_clock::now();
            unless_capped(s, counts, [&] { compare(s, solutions, counts); });
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
            slowest = std::max(slowest, seconds.count());
            if (testing::Test::HasFatalFailure()) return;
        }
        std::cout << rounds << " coupled systems: " << counts.solved << " with one solution, " << counts.several
                  << " with several, " << counts.none << " with none; " << counts.too_complex
                  << " too complex; the slowest took " << slowest << " s\n";
        EXPECT_LE(counts.too_complex, shape == test::Shape::any ? rounds / 20 : 0);
    }
}

TEST(RandomSystem, AnErrorIsNegativeWhenOtherIntegersWouldDo) {
    Dice dice(test::seed_of_run(2));
    Counts counts;
    int negative = 0;
    for (int i = 0; i < 4'000; ++i) {
        const SmallSystem s = test::random_system(dice, i % 2 ? test::Shape::affine : test::Shape::any);
        if (!s.enumerate(1).empty() || s.enumerate(-6).empty()) continue;
        unless_capped(s, counts, [&] {
            ASSERT_EQ(s.system().solve(s.bindings()).error, ErrorKind::negative) << s.text();
            ++negative;
        });
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(negative, 50);
}

TEST(RandomSystem, LeastValuesAreJointElseInOrder) {
    Dice dice(test::seed_of_run(3));
    Counts counts;
    for (int i = 0; i < 5'000; ++i) {
        const SmallSystem s = test::random_system(dice);
        auto solutions = s.enumerate(1);
        if (solutions.size() < 2) continue;
        std::vector<int> order;
        for (int k = 0; k < s.unknowns; ++k) order.push_back(k);
        std::shuffle(order.begin(), order.end(), dice.engine());
        std::vector<std::string> names;
        // Each name at its least in turn; where all least values go together, this gives just them.
        for (int k : order) {
            int low = largest_value;
            for (const auto& p : solutions) low = std::min(low, p[k]);
            std::erase_if(solutions, [&](const Point& p) { return p[k] != low; });
            names.push_back(name_of(k));
        }
        unless_capped(s, counts, [&] {
            const SystemAnswer answer = s.system().solve(s.bindings(), names);
            ASSERT_FALSE(answer.error) << s.text();
            for (int k = 0; k < s.unknowns; ++k)
                ASSERT_EQ(narrow(answer.values.at(name_of(k))), solutions.front()[k]) << s.text();
        });
        if (testing::Test::HasFatalFailure()) return;
    }
}

/// What an answer says, under the names a, b, c, d. Ranges beside an error are as far as they are known: with products
/// of unbounded unknowns they depend on the order.
/// So do kinds of errors where it takes products of integers of either sign to tell them apart.
std::string outcome(const SmallSystem& s, const SmallSystem::Spelling& spelling, bool kinds) {
    const SystemAnswer answer = s.system(spelling).solve(s.bindings(spelling));
    const bool exact = !answer.error || *answer.error == ErrorKind::underdetermined;
    std::string text = !answer.error ? "solved" : exact || kinds ? to_string(*answer.error) : "none";
    if (!exact && !kinds) return text;
    for (int i = 0; i < s.unknowns; ++i) {
        const auto& name = spelling.names[i];
        const bool unresolved =
            std::find(answer.unresolved.begin(), answer.unresolved.end(), name) != answer.unresolved.end();
        if (unresolved) text += " ?" + name_of(i);
        if (exact) text += " " + name_of(i) + ":" + text_of(answer.ranges.at(name));
    }
    return text;
}

TEST(RandomSystem, OrderNamesAndScaleDoNotMatter) {
    Dice dice(test::seed_of_run(4));
    Counts counts;
    int same = 0;
    for (int i = 0; i < 10'000; ++i) {
        const bool affine = i % 2 == 0;
        const SmallSystem s = test::random_system(dice, affine ? test::Shape::affine : test::Shape::any);
        auto spelling = s.plain();
        unless_capped(s, counts, [&] {
            const std::string expected = outcome(s, spelling, affine);
            std::vector<std::string> names{"w", "Ab", "m_3", "zz"};
            std::shuffle(names.begin(), names.end(), dice.engine());
            names.resize(s.unknowns);
            spelling.names = names;
            std::shuffle(spelling.name_order.begin(), spelling.name_order.end(), dice.engine());
            std::shuffle(spelling.fact_order.begin(), spelling.fact_order.end(), dice.engine());
            for (int& f : spelling.factors) f = dice.between(1, 5);
            ASSERT_EQ(outcome(s, spelling, affine), expected) << s.text();
            ++same;
        });
        if (testing::Test::HasFatalFailure()) return;
    }
    std::cout << same << " systems give the same answer in other orders, names and scales; " << counts.too_complex
              << " too complex\n";
    EXPECT_LT(counts.too_complex, 50);
}

/// Solved values given back, in place of others: what was known is again among the answers.
TEST(RandomSystem, KnownAndUnknownSwap) {
    Dice dice(test::seed_of_run(5));
    Counts counts;
    int swapped = 0;
    for (int i = 0; i < 20'000; ++i) {
        SmallSystem s = test::random_system(dice);
        unless_capped(s, counts, [&] {
            const SystemAnswer there = s.system().solve(s.bindings());
            if (there.error) return;
            for (int k = 0; k < s.unknowns; ++k) {
                const int value = static_cast<int>(there.values.at(name_of(k)));
                s.known[k] = dice.chance(50) ? std::optional(value) : std::nullopt;
            }
            const SystemAnswer back = s.system().solve(s.bindings());
            ASSERT_TRUE(!back.error || *back.error == ErrorKind::underdetermined) << s.text();
            for (const auto& [name, value] : there.values) {
                Range both = back.ranges.at(name);
                both.intersect({Rational(value), Rational(value)});
                ASSERT_FALSE(both.is_empty()) << name << " in " << s.text();
            }
            ++swapped;
        });
        if (testing::Test::HasFatalFailure()) return;
    }
    std::cout << swapped << " solutions found again\n";
    EXPECT_GT(swapped, 500);
}

}  // namespace
}  // namespace halogen
