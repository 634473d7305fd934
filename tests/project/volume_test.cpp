// Formulas of volumes against elements counted one by one, on random shapes.

#include "frontend/project/volume.h"
#include "frontend/notation/operations.h"
#include "frontend/solve/place.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace halogen {
namespace {

struct Case {
    const char* text;
    std::string index;
    Bindings fixed;  // sizes that are not random
};

/// The places of each tensor that the shard touches, and its points.
struct Count {
    std::int64_t points = 0;
    std::map<std::string, std::vector<std::set<std::int64_t>>> places;  // by tensor and dim
};

/// What values `first` to `first + count - 1` of `index` touch.
Count count_block(const Kernel& kernel, const Solution& open, const Bindings& sizes, const std::string& index,
                  std::int64_t first, std::int64_t count) {
    Count all;
    std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> ranges;
    for (const auto& [name, range] : open.indices[0]) {
        const std::int64_t min = evaluate(range.min, sizes), extent = evaluate(range.extent, sizes);
        ranges.push_back(
            {name, name == index ? std::pair{min + first, min + first + count} : std::pair{min, min + extent}});
    }
    std::vector<std::pair<std::string, std::vector<Formula>>> accesses;
    const auto add = [&](const Access& access) {
        std::vector<Formula> places;
        for (const Expr& place : access.at) places.push_back(*solved_formula(place, open));
        accesses.emplace_back(access.tensor, places);
    };
    add(kernel.equations[0].left);
    walk(kernel.equations[0].right, [&](const Expr& e) {
        if (const auto* access = e.as<Access>()) add(*access);
    });
    Bindings point = sizes;
    const std::function<void(std::size_t)> visit = [&](std::size_t i) {
        if (i < ranges.size()) {
            for (std::int64_t v = ranges[i].second.first; v < ranges[i].second.second; ++v) {
                point[ranges[i].first] = v;
                visit(i + 1);
            }
            return;
        }
        ++all.points;
        for (const auto& [tensor, places] : accesses) {
            auto& reached = all.places[tensor];
            reached.resize(places.size());
            for (std::size_t d = 0; d < places.size(); ++d) reached[d].insert(evaluate(places[d], point));
        }
    };
    visit(0);
    return all;
}

/// The box of the places, cut at the ends of the dim: it is what a shard holds, holes of strides and all.
std::int64_t span_of(const std::set<std::int64_t>& places, std::int64_t extent) {
    return std::max<std::int64_t>(
        0, std::min(*places.rbegin(), extent - 1) - std::max<std::int64_t>(*places.begin(), 0) + 1);
}

void check(const Case& c, test::Dice& dice, int& checked) {
    const Kernel kernel = test::kernel_of(c.text);
    Settings open_sizes;
    for (const SizeParam& p : kernel.sizes) open_sizes[p.name] = std::nullopt;
    const Solution open = solve(kernel, open_sizes).value();
    const auto steps = steps_of(kernel, open, {{c.index, 2}}).value();
    const Volume formulas = volume_of(kernel, open, steps, 0);
    const auto halos = halos_of(kernel, open, steps[0]);
    for (int tries = 0, found = 0; found < 200 && tries < 20'000; ++tries) {
        Bindings sizes = c.fixed;
        for (const std::string& name : open.symbols)
            if (!sizes.contains(name)) sizes[name] = dice.between(1, 7);
        if (!test::guards_hold(open, sizes)) continue;
        const std::int64_t extent = evaluate(steps[0].cuts[0].extent, sizes);
        if (extent < 2) continue;
        const std::int64_t shards = dice.between(2, static_cast<int>(extent)),
                           n = dice.between(0, static_cast<int>(shards) - 2);
        const Share here = share_of(extent, shards, n), next = share_of(extent, shards, n + 1);
        const std::int64_t first = *here.first.constant(), count = *here.count.constant();
        const Count counted = count_block(kernel, open, sizes, c.index, first, count);
        const Count neighbour =
            count_block(kernel, open, sizes, c.index, *next.first.constant(), *next.count.constant());
        Bindings values = sizes;
        values[c.index + ".first"] = first;
        values[c.index + ".count"] = count;
        std::int64_t bytes = 0;
        for (const auto& [tensor, dims] : counted.places) {
            std::int64_t elements = bytes_of(kernel.tensor(tensor).type);
            for (std::size_t d = 0; d < dims.size(); ++d)
                elements *= span_of(dims[d], evaluate(open.extents.at(tensor)[d], sizes));
            bytes += elements;
        }
        EXPECT_EQ(evaluate(formulas.operations, values), counted.points * operations_per_point(kernel.equations[0]));
        EXPECT_EQ(evaluate(formulas.memory, values), bytes);
        for (const Halo& halo : halos) {
            const auto &mine = counted.places.at(halo.tensor)[halo.dim],
                       &theirs = neighbour.places.at(halo.tensor)[halo.dim];
            const std::int64_t shared =
                std::min(*mine.rbegin(), *theirs.rbegin()) - std::max(*mine.begin(), *theirs.begin()) + 1;
            if (count == *next.count.constant()) {
                EXPECT_EQ(evaluate(halo.places, values), shared);
            }
        }
        ++found;
        ++checked;
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Volume, FormulasAreWhatIsCounted) {
    const char* const rows =
        "kernel c(X: f32[H pad P, C] else 0, F: f32[R, C, K], T: size = 1, D: size = 1, P: size = 0) -> Y: f32[OH, K] "
        "{ "
        "Y[y, k] += X[T*y + D*r - P, c]*F[r, c, k] }";
    const char* const pool =
        "kernel p(X: f32[H, C], R: size = 2, T: size = 2) -> Y: f32 { Y[y, c] max= X[T*y + r, c] where r in 0:R }";
    test::Dice dice(test::seed_of_run());
    int checked = 0;
    const std::vector<Case> cases = {{test::matmul, "i", {}}, {test::matmul, "j", {}}, {test::matmul, "k", {}},
                                     {rows, "y", {}},         {rows, "k", {}},         {rows, "c", {}},
                                     {rows, "y", {{"P", 0}}}, {test::heat, "x", {}},   {test::heat, "z", {}},
                                     {pool, "y", {}},         {pool, "c", {}}};
    for (const Case& c : cases) {
        SCOPED_TRACE(fmt::format("{} by {}", c.text, c.index));
        check(c, dice, checked);
        if (HasFailure()) return;
    }
    std::cout << checked << " shapes\n";
    EXPECT_GE(checked, 1500);
}

}  // namespace
}  // namespace halogen
