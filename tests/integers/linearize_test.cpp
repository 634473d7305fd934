// Formulas as rows: what is made for a quotient, a remainder, a min or a max says exactly what it means.

#include "frontend/integers/linearize.h"
#include "frontend/integers/explore.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

const Formula x = Formula::symbol("x");

/// The values that `f` takes for x from 0 to 9, by the rows of `y == f` and each of their choices.
std::vector<std::int64_t> values_by_rows(const Formula& f) {
    std::vector<std::int64_t> values;
    for (std::int64_t at = 0; at <= 9; ++at) {
        Linearizer linearizer;
        linearizer.unknown("x");
        linearizer.unknown("y");
        const RowFact row = linearizer.row({Formula::symbol("y"), Relation::equal, f, -1});
        Range y;
        bool found = false;
        const int choices = 1 << linearizer.choices.size();
        for (int choice = 0; choice < choices; ++choice) {
            Rows rows(linearizer.unknowns(), true);
            rows.add(Poly::unknown(0), {Rational(at), Rational(at)});
            rows.add(row.p, row.range);
            for (const RowFact& fact : linearizer.facts) rows.add(fact.p, fact.range);
            for (std::size_t c = 0; c < linearizer.choices.size(); ++c)
                for (const RowFact& fact : linearizer.choices[c][choice >> c & 1]) rows.add(fact.p, fact.range);
            Budget budget(10'000);
            const auto ranges = ranges_of_solutions(rows, 2, budget);
            if (!ranges) continue;
            if (found)
                y.unite((*ranges)[1]);
            else
                y = (*ranges)[1];
            found = true;
        }
        EXPECT_TRUE(found && y.is_point()) << print(f) << " at " << at;
        values.push_back(found ? static_cast<std::int64_t>(y.lo->num) : -1);
    }
    return values;
}

TEST(Linearize, RowsHaveTheValuesOfTheirFormula) {
    for (const Formula& f : {
             floor_div(x, 3),
             remainder(x, 4),
             floor_div(x - Formula(5), 2),
             remainder(x - Formula(5), 3),
             min(x, 4) + max(x - Formula(3), 2),
             Formula(2) * floor_div(x, 2) + remainder(x, 2),
             floor_div(min(x * Formula(2), x + Formula(3)), 3),
         }) {
        std::vector<std::int64_t> expected;
        for (std::int64_t at = 0; at <= 9; ++at) expected.push_back(evaluate(f, {{"x", at}}));
        EXPECT_EQ(values_by_rows(f), expected) << print(f);
    }
}

TEST(Linearize, QuotientAndRemainderOfOnePairAreMadeOnce) {
    Linearizer linearizer;
    linearizer.row({floor_div(x, 3), Relation::equal, remainder(x, 3), -1});
    EXPECT_EQ(linearizer.unknowns(), 3);  // x, the quotient, the remainder
    EXPECT_EQ(linearizer.facts.size(), 3u);
}

TEST(Linearize, WhatAnAlternativeMakesIsNotShared) {
    Linearizer linearizer;
    const RowFacts rows = linearizer.alternative({{floor_div(x, 3), Relation::at_most, 2, -1}});
    EXPECT_EQ(rows.size(), 4u);  // three that say what the quotient is, and the fact
    EXPECT_TRUE(linearizer.facts.empty());
}

}  // namespace
}  // namespace halogen
