#include "frontend/project/cells.h"

#include "frontend/interpret/cells.h"
#include "frontend/project/runs.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace halogen {

namespace {

constexpr std::int64_t most_points = 1'000'000;

Formula at_least_none(const Formula& f, const LowerBounds& bounds) { return larger(f, Formula(0), bounds); }

/// The places of a dim, edges left aside.
std::optional<Formula> unclipped(const std::vector<Stride>& steps, const LowerBounds& bounds) {
    if (steps.size() == 1) return steps[0].count;
    if (steps.size() != 2) return std::nullopt;
    Formula a = steps[0].stride, b = steps[1].stride;
    if (a.is_constant() && b.is_constant()) {
        const std::int64_t common = std::gcd(*a.constant(), *b.constant());
        a = *a.constant() / common;
        b = *b.constant() / common;
    } else if (!(a == Formula(1)) && !(b == Formula(1))) {
        return std::nullopt;
    }
    const Formula n = steps[0].count, m = steps[1].count;
    return n * m - at_least_none(n - b, bounds) * at_least_none(m - a, bounds);
}

std::optional<Formula> cells_along(const CellPlace& p, const Box& block, const LowerBounds& bounds) {
    Formula inside = at_least_none(p.inside.extent(), bounds);
    const auto strides = strides_of(p.place, block, bounds);
    if (!strides) return std::nullopt;
    const auto runs = Runs::of(*strides, bounds);
    if (runs && runs->is_solid()) return inside;
    if (p.inside == p.places) return runs ? runs->count() : unclipped(*strides, bounds);
    if (!runs) return std::nullopt;
    if (const auto stride = runs->stride())
        return at_least_none(runs->count() - floor_div(p.inside.low - p.places.low, *stride) -
                                 floor_div(p.places.high - p.inside.high, *stride),
                             bounds);
    const Formula first = runs->count_below(p.inside.low - p.places.low);
    return at_least_none(runs->count_below(p.inside.high - p.places.low + Formula(1)) - first, bounds);
}

}  // namespace

std::optional<Formula> cell_count(const std::vector<CellPlace>& places, const Box& block, const LowerBounds& bounds) {
    std::set<std::string> seen;
    Formula total = 1;
    // Padding is read from elements of the tensor, which may be others than those that the places reach.
    if (std::any_of(places.begin(), places.end(), [](const CellPlace& p) { return repeats(p.mode); }))
        return std::nullopt;
    for (const CellPlace& p : places) {
        for (const std::string& name : indices_in(p.place, block))
            if (!seen.insert(name).second) return std::nullopt;
        const auto along = cells_along(p, block, bounds);
        if (!along) return std::nullopt;
        total = total * *along;
    }
    return total;
}

std::optional<std::int64_t> count_cells(const std::vector<CellPlace>& places, const Box& block) {
    Bindings point;
    std::int64_t points = 1;
    for (const auto& [name, values] : block) {
        const std::int64_t count = *values.extent().constant();
        if (count <= 0) return 0;
        if (points > most_points / count) return std::nullopt;
        points *= count;
        point[name] = *values.low.constant();
    }
    std::set<std::vector<std::int64_t>> seen;
    while (true) {
        std::vector<std::int64_t> cell;
        for (const CellPlace& p : places) {
            const std::int64_t at = interpreting::fold_position(p.mode, evaluate(p.place, point), *p.extent.constant());
            if (at < 0) break;
            cell.push_back(at);
        }
        if (cell.size() == places.size()) seen.insert(std::move(cell));
        auto index = block.begin();
        while (index != block.end() && point[index->first] == *index->second.high.constant()) {
            point[index->first] = *index->second.low.constant();
            ++index;
        }
        if (index == block.end()) return static_cast<std::int64_t>(seen.size());
        ++point[index->first];
    }
}

}  // namespace halogen
