// Projections of random places against a look at every point: hulls, padding and the number of elements, in numbers and by
// formulas. HALOGEN_SEED and HALOGEN_COUNT take a run back or make it longer.

#include "frontend/project/projection.h"
#include "frontend/solve/place.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace halogen {
namespace {

using test::Dice;

int count_of_run(int usual) {
    const char* given = std::getenv("HALOGEN_COUNT");
    return given ? std::atoi(given) : usual;
}

std::string random_place(Dice& dice, const std::string& a, const std::string& b) {
    const int s = dice.between(1, 4), t = dice.between(1, 4);
    switch (dice.between(0, 8)) {
    case 0: return fmt::format("{} + {}", a, b);
    case 1: return fmt::format("{}*{} + {}*{}", s, a, t, b);
    case 2: return fmt::format("{}*{} + {}*{} - {}", s, a, t, b, dice.between(0, 3));
    case 3: return fmt::format("30 - {}*{}", s, a);
    case 4: return fmt::format("12 - {}*{} + {}*{}", s, a, t, b);
    case 5: return fmt::format("{}*{} - {}", s, a, dice.between(0, 3));
    case 6: return fmt::format("({}*{} + {})/{}", s, a, b, t);
    case 7: return fmt::format("{} % {} + {}", a, t, b);
    default: return a;
    }
}

/// A kernel that reads one tensor through two random places.
std::string random_text(Dice& dice) {
    const char* const modes[] = {"0", "lowest", "edge", "reflect", "symmetric", "wrap"};
    return fmt::format(
        "kernel k(X: f32[H pad 40, W pad 40] else {}) -> Y: f32[6, 5] {{ Y[y, x] += X[{}, {}] where y in 0:6, x in "
        "0:5, "
        "r in {}:{}, s in 0:{} }}",
        modes[dice.chance(60) ? dice.between(0, 1) : dice.between(0, 5)], random_place(dice, "y", "r"),
        random_place(dice, "x", "s"), dice.between(0, 1), dice.between(2, 4), dice.between(1, 4));
}

/// The element that a place of a dim with a boundary reads; nothing for a constant.
std::optional<std::int64_t> element_at(std::int64_t p, std::int64_t extent, Boundary::Mode mode) {
    if (p >= 0 && p < extent) return p;
    const auto cyclic = [](std::int64_t n, std::int64_t d) { return (n % d + d) % d; };
    switch (mode) {
    case Boundary::Mode::edge: return p < 0 ? 0 : extent - 1;
    case Boundary::Mode::wrap: return cyclic(p, extent);
    case Boundary::Mode::reflect: {
        const std::int64_t q = cyclic(p, 2 * (extent - 1));
        return q < extent ? q : 2 * (extent - 1) - q;
    }
    case Boundary::Mode::symmetric: {
        const std::int64_t q = cyclic(p, 2 * extent);
        return q < extent ? q : 2 * extent - 1 - q;
    }
    default: return std::nullopt;
    }
}

/// What a block reaches, point by point.
struct Enumeration {
    std::vector<std::set<std::int64_t>> places, elements;  // per dim
    std::set<std::vector<std::int64_t>> cells;
};

Enumeration enumerate(const Access& access, const Solution& s, const std::map<std::string, std::pair<int, int>>& box,
                      Boundary::Mode mode) {
    Enumeration all{std::vector<std::set<std::int64_t>>(access.at.size()),
                    std::vector<std::set<std::int64_t>>(access.at.size()),
                    {}};
    std::vector<Formula> formulas;
    for (const Expr& place : access.at) formulas.push_back(*solved_formula(place, s));
    std::vector<std::pair<std::string, std::pair<int, int>>> order(box.begin(), box.end());
    Bindings point;
    const std::function<void(std::size_t)> visit = [&](std::size_t i) {
        if (i < order.size()) {
            for (int v = order[i].second.first; v <= order[i].second.second; ++v) {
                point[order[i].first] = v;
                visit(i + 1);
            }
            return;
        }
        std::vector<std::int64_t> cell;
        for (std::size_t d = 0; d < formulas.size(); ++d) {
            const std::int64_t p = evaluate(formulas[d], point);
            all.places[d].insert(p);
            const auto element = element_at(p, *s.extents.at(access.tensor)[d].constant(), mode);
            if (element) all.elements[d].insert(*element);
            if (element) cell.push_back(*element);
        }
        if (cell.size() == formulas.size()) all.cells.insert(cell);
    };
    visit(0);
    return all;
}

class ProjectionOfRandomPlaces : public testing::Test {
protected:
    void check(unsigned seed) {
        Dice dice(seed);
        const std::string text = random_text(dice);
        const Kernel kernel = test::kernel_of(text);
        const auto solved = solve(kernel, {{"H", dice.between(3, 60)}, {"W", dice.between(3, 60)}});
        if (!solved) return;
        SCOPED_TRACE(fmt::format("seed {}: {}", seed, text));
        const Solution& s = solved.value();
        std::map<std::string, std::pair<int, int>> box;
        Box block, symbols;
        Bindings numbers;
        for (const auto& [index, range] : s.indices[0]) {
            const int min = static_cast<int>(*range.min.constant()),
                      extent = static_cast<int>(*range.extent.constant());
            const int first = dice.between(0, extent - 1), count = dice.between(1, extent - first);
            box[index] = {min + first, min + first + count - 1};
            block[index] = {Formula(min + first), Formula(min + first + count - 1)};
            symbols[index] = block_of(range, index);
            numbers[index + ".first"] = first;
            numbers[index + ".count"] = count;
        }
        const Access& read = *kernel.equations[0].right.as<Access>();
        const Enumeration all = enumerate(read, s, box, kernel.tensor("X").boundary.mode);
        checked_++;
        compare(project(kernel, s, 0, block)[1], all, {});
        compare(project(kernel, s, 0, symbols)[1], all, numbers);
    }

    void compare(const Projection& p, const Enumeration& all, const Bindings& numbers) {
        for (std::size_t d = 0; d < p.dims.size(); ++d) {
            const auto number = [&](const Formula& f) { return evaluate(f, numbers); };
            const Hull &places = p.dims[d].places, &inside = p.dims[d].inside;
            if (places.exact) {
                EXPECT_EQ(number(places.low), *all.places[d].begin());
                EXPECT_EQ(number(places.high), *all.places[d].rbegin());
            }
            EXPECT_LE(number(places.low), *all.places[d].begin());
            EXPECT_GE(number(places.high), *all.places[d].rbegin());
            if (all.elements[d].empty()) continue;
            EXPECT_LE(number(inside.low), *all.elements[d].begin());
            EXPECT_GE(number(inside.high), *all.elements[d].rbegin());
            EXPECT_GE(number(inside.low), 0);
            if (numbers.empty()) {
                EXPECT_TRUE(inside.exact);
            }
            ends_++;
            if (!inside.exact) continue;
            exact_++;
            EXPECT_EQ(number(inside.low), *all.elements[d].begin());
            EXPECT_EQ(number(inside.high), *all.elements[d].rbegin());
        }
        if (numbers.empty()) {
            EXPECT_TRUE(p.cells);
        }
        if (!p.cells) return;
        counted_++;
        EXPECT_EQ(evaluate(*p.cells, numbers), static_cast<std::int64_t>(all.cells.size()));
    }

    int checked_ = 0, counted_ = 0, ends_ = 0, exact_ = 0;
};

TEST_F(ProjectionOfRandomPlaces, IsWhatEnumerationSays) {
    const unsigned seed = test::seed_of_run();
    const int count = count_of_run(3000);
    for (int i = 0; i < count && !HasFailure(); ++i) check(seed * 100'000 + static_cast<unsigned>(i));
    std::cout << checked_ << " places, " << counted_ << " counts of elements; " << exact_ << " of " << ends_
              << " dims exact\n";
    EXPECT_GE(checked_, count / 2);
    EXPECT_GE(counted_, checked_ / 2);
}

}  // namespace
}  // namespace halogen
