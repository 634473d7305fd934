// Random systems of facts over up to four sizes of at most 7, against plain enumeration of all values.

#include "frontend/system.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

using test::Dice;

constexpr int largest = 7;

Formula random_atom(Dice& dice, int names) {
    return Formula::symbol(std::string(1, static_cast<char>('a' + dice.between(0, names - 1))));
}

Formula random_linear(Dice& dice, int names) {
    Formula f = dice.between(-4, 6);
    for (int k = dice.between(1, 3); k > 0; --k) f = f + Formula(dice.between(-2, 3)) * random_atom(dice, names);
    return f;
}

Formula random_formula(Dice& dice, int names) {
    switch (dice.between(0, 9)) {
    case 0: return floor_div(random_linear(dice, names), dice.between(2, 4)) + random_linear(dice, names);
    case 1: return remainder(random_linear(dice, names), dice.between(2, 4)) + random_atom(dice, names);
    case 2: return max(random_linear(dice, names), random_linear(dice, names));
    case 3: return min(random_linear(dice, names), random_linear(dice, names)) + random_atom(dice, names);
    case 4: return random_atom(dice, names) * random_atom(dice, names) + Formula(dice.between(-3, 3));
    case 5: return floor_div(random_linear(dice, names), random_atom(dice, names));
    default: return random_linear(dice, names);
    }
}

struct RandomSystem {
    System system;
    std::vector<Fact> facts;
    std::vector<std::vector<std::vector<Fact>>> choices;
    Bindings known;
    int names = 0;

    std::string text() const {
        std::string all;
        const auto add = [&](const Fact& f) {
            all += fmt::format("{} {} {}; ", print(f.left),
                               f.relation == Fact::Relation::equal ? "==" : "<=", print(f.right));
        };
        for (const auto& f : facts) add(f);
        for (const auto& choice : choices) {
            for (const auto& alternative : choice) {
                all += "or(";
                for (const auto& f : alternative) add(f);
                all += ") ";
            }
        }
        for (const auto& [n, v] : known) all += fmt::format("{} = {}; ", n, v);
        return all;
    }
};

Fact random_fact(Dice& dice, int names) {
    return {random_formula(dice, names), dice.chance(55) ? Fact::Relation::equal : Fact::Relation::at_most,
            random_linear(dice, names), 0};
}

RandomSystem random_system(Dice& dice) {
    RandomSystem r;
    r.names = dice.between(2, 4);
    for (int i = 0; i < r.names; ++i) {
        const std::string name(1, static_cast<char>('a' + i));
        r.system.add_unknown(name, 1);
        r.system.add_at_most(Formula::symbol(name), largest, 0);
        if (dice.chance(30)) r.known[name] = dice.between(1, largest);
    }
    for (int k = dice.between(1, 3); k > 0; --k) {
        r.facts.push_back(random_fact(dice, r.names));
        r.system.add(r.facts.back());
    }
    if (dice.chance(20)) {
        r.choices.push_back({{random_fact(dice, r.names)}, {random_fact(dice, r.names)}});
        r.system.add_either(r.choices.back());
    }
    return r;
}

bool fact_holds(const Fact& f, const Bindings& at) {
    // A divisor below 1 fails the system, as it does in the engine.
    try {
        const auto left = evaluate(f.left, at), right = evaluate(f.right, at);
        return f.relation == Fact::Relation::equal ? left == right : left <= right;
    } catch (const Failure&) {
        return false;
    }
}

bool all_hold(const RandomSystem& r, const Bindings& at) {
    for (const auto& f : r.facts) {
        if (!fact_holds(f, at)) return false;
    }
    for (const auto& choice : r.choices) {
        bool some = false;
        for (const auto& alternative : choice) some = some || fact_holds(alternative[0], at);
        if (!some) return false;
    }
    return true;
}

/// All solutions with values from `low` to `largest`.
std::vector<Bindings> enumerate(const RandomSystem& r, int low) {
    std::vector<Bindings> solutions;
    const int width = largest - low + 1;
    int count = 1;
    for (int i = 0; i < r.names; ++i) count *= width;
    for (int code = 0; code < count; ++code) {
        Bindings at;
        bool fits = true;
        for (int i = 0, rest = code; i < r.names; ++i, rest /= width) {
            const std::string name(1, static_cast<char>('a' + i));
            at[name] = low + rest % width;
            const auto known = r.known.find(name);
            fits = fits && (known == r.known.end() || known->second == at[name]);
        }
        if (fits && all_hold(r, at)) solutions.push_back(at);
    }
    return solutions;
}

void compare(const RandomSystem& r, const std::vector<Bindings>& solutions) {
    const SystemAnswer answer = r.system.solve(r.known);
    if (solutions.empty()) {
        ASSERT_TRUE(answer.error) << r.text();
        ASSERT_NE(*answer.error, ErrorKind::underdetermined) << r.text();
        return;
    }
    for (int i = 0; i < r.names; ++i) {
        const std::string name(1, static_cast<char>('a' + i));
        std::int64_t low = largest, high = 1;
        for (const auto& s : solutions) low = std::min(low, s.at(name)), high = std::max(high, s.at(name));
        ASSERT_TRUE(answer.ranges.contains(name)) << r.text();
        ASSERT_EQ(answer.ranges.at(name), (Range{Rational(low), Rational(high)})) << name << " in " << r.text();
    }
    ASSERT_EQ(answer.error.has_value(), solutions.size() > 1) << r.text();
}

TEST(RandomSystem, RangesAreThoseOfEnumeration) {
    Dice dice(test::seed_of_run());
    int solvable = 0, too_complex = 0;
    const int rounds = 10'000;
    for (int i = 0; i < rounds; ++i) {
        const RandomSystem r = random_system(dice);
        const auto solutions = enumerate(r, 1);
        solvable += !solutions.empty();
        try {
            ASSERT_NO_FATAL_FAILURE(compare(r, solutions));
        } catch (const Failure& failure) {
            ASSERT_EQ(failure.error().kind, ErrorKind::too_complex) << r.text();
            ++too_complex;
        }
        if (testing::Test::HasFatalFailure()) return;
    }
    std::cout << rounds << " systems, " << solvable << " solvable, " << too_complex << " too complex\n";
    EXPECT_LT(too_complex, rounds / 100);
}

TEST(RandomSystem, AnErrorIsNegativeWhenOtherIntegersWouldDo) {
    Dice dice(test::seed_of_run(2));
    int negative = 0;
    for (int i = 0; i < 2'000; ++i) {
        RandomSystem r = random_system(dice);
        if (!enumerate(r, 1).empty() || enumerate(r, -6).empty()) continue;
        try {
            ASSERT_EQ(r.system.solve(r.known).error, ErrorKind::negative) << r.text();
            ++negative;
        } catch (const Failure& failure) {
            ASSERT_EQ(failure.error().kind, ErrorKind::too_complex) << r.text();
        }
    }
    EXPECT_GT(negative, 25);
}

TEST(RandomSystem, LeastValuesAreJointElseInOrder) {
    Dice dice(test::seed_of_run(3));
    for (int i = 0; i < 2'000; ++i) {
        const RandomSystem r = random_system(dice);
        auto solutions = enumerate(r, 1);
        if (solutions.size() < 2) continue;
        std::vector<std::string> order;
        for (int k = 0; k < r.names; ++k) order.emplace_back(1, static_cast<char>('a' + k));
        std::shuffle(order.begin(), order.end(), dice.engine());
        // Each name at its least in turn; where all least values go together, this gives just them.
        for (const auto& name : order) {
            std::int64_t low = largest;
            for (const auto& s : solutions) low = std::min(low, s.at(name));
            std::erase_if(solutions, [&](const Bindings& s) { return s.at(name) != low; });
        }
        try {
            const SystemAnswer answer = r.system.solve(r.known, order);
            ASSERT_FALSE(answer.error) << r.text();
            for (const auto& [name, value] : solutions.front())
                ASSERT_EQ(narrow(answer.values.at(name)), value) << r.text();
        } catch (const Failure& failure) {
            ASSERT_EQ(failure.error().kind, ErrorKind::too_complex) << r.text();
        }
    }
}

}  // namespace
}  // namespace halogen
