#include "frontend/project/cells.h"

#include "frontend/formula/linear_part.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace halogen {

namespace {

constexpr std::int64_t most_points = 1'000'000;

/// One index of a place with its coefficient, made positive, and the number of its values.
struct Stride {
    Formula stride, count;
};

std::vector<std::string> indices_in(const Formula& place, const Box& block) {
    std::vector<std::string> names;
    for (const std::string& name : place.symbols())
        if (block.contains(name)) names.push_back(name);
    return names;
}

/// The steps of an affine place; nothing for another, or for a stride whose sign is open.
std::optional<std::vector<Stride>> steps_of(const Formula& place, const Box& block, const LowerBounds& bounds) {
    std::vector<Stride> steps;
    const auto names = indices_in(place, block);
    for (const std::string& name : names) {
        const auto part = linear_part(place, name);
        if (!part || !indices_in(part->factor, block).empty()) return std::nullopt;
        const Formula count = block.at(name).extent();
        if (is_nonnegative(part->factor - Formula(1), bounds))
            steps.push_back({part->factor, count});
        else if (is_nonnegative(-part->factor - Formula(1), bounds))
            steps.push_back({-part->factor, count});
        else
            return std::nullopt;
    }
    return steps;
}

Formula at_least_none(const Formula& f, const LowerBounds& bounds) { return larger(f, Formula(0), bounds); }

/// Every place between the ends is reached: strides are 1, or no longer than what the others reach without a hole.
bool is_without_holes(std::vector<Stride> steps, const LowerBounds& bounds) {
    std::stable_sort(steps.begin(), steps.end(), [](const Stride& a, const Stride& b) {
        return a.stride.constant().value_or(1 << 30) < b.stride.constant().value_or(1 << 30);
    });
    Formula reach = 1;
    for (const Stride& s : steps) {
        if (!is_nonnegative(reach - s.stride, bounds)) return false;
        reach = reach + s.stride * (s.count - Formula(1));
    }
    return true;
}

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
    const auto steps = steps_of(p.place, block, bounds);
    if (!steps) return std::nullopt;
    if (steps->empty() || is_without_holes(*steps, bounds)) return inside;
    if (p.inside == p.places) return unclipped(*steps, bounds);
    if (steps->size() != 1) return std::nullopt;
    const Formula& stride = (*steps)[0].stride;
    const Formula skipped = ceil_div(p.inside.low - p.places.low, stride);
    return at_least_none(floor_div(p.inside.high - p.places.low, stride) - skipped + Formula(1), bounds);
}

}  // namespace

std::optional<Formula> cell_count(const std::vector<CellPlace>& places, const Box& block, const LowerBounds& bounds) {
    std::set<std::string> seen;
    Formula total = 1;
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
            const std::int64_t at = evaluate(p.place, point);
            if (at < *p.inside.low.constant() || at > *p.inside.high.constant()) break;
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
