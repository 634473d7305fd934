#include "frontend/project/runs.h"

#include "frontend/formula/linear_part.h"
#include "frontend/interpret/cells.h"

#include <algorithm>

namespace halogen {

namespace {

constexpr std::int64_t most_points = 10'000;

}  // namespace

std::vector<std::string> indices_in(const Formula& place, const Box& block) {
    std::vector<std::string> names;
    for (const std::string& name : place.symbols())
        if (block.contains(name)) names.push_back(name);
    return names;
}

bool is_number(const Hull& h) { return h.low.is_constant() && h.high.is_constant(); }

std::optional<std::vector<Stride>> strides_of(const Formula& place, const Box& block, const LowerBounds& bounds) {
    std::vector<Stride> strides;
    for (const std::string& name : indices_in(place, block)) {
        const auto part = linear_part(place, name);
        if (!part || !indices_in(part->factor, block).empty()) return std::nullopt;
        const Formula count = block.at(name).extent();
        if (is_nonnegative(part->factor - Formula(1), bounds))
            strides.push_back({part->factor, count});
        else if (is_nonnegative(-part->factor - Formula(1), bounds))
            strides.push_back({-part->factor, count});
        else
            return std::nullopt;
        if (count == Formula(1)) strides.pop_back();
    }
    return strides;
}

std::optional<Hull> looked_up(const Formula& place, const Formula& last, const Box& block, Boundary::Mode mode) {
    const auto names = indices_in(place, block);
    std::int64_t points = 1;
    Bindings point;
    for (const std::string& name : names) {
        if (!is_number(block.at(name))) return std::nullopt;
        const std::int64_t count = *block.at(name).extent().constant();
        if (count <= 0 || points > most_points / count) return std::nullopt;
        points *= count;
        point[name] = *block.at(name).low.constant();
    }
    if (!last.is_constant() || names.size() != place.symbols().size()) return std::nullopt;
    std::int64_t low = *last.constant() + 1, high = -1;
    while (true) {
        const std::int64_t at = interpreting::fold_position(mode, evaluate(place, point), *last.constant() + 1);
        if (at >= 0) {
            low = std::min(low, at);
            high = std::max(high, at);
        }
        auto name = names.begin();
        while (name != names.end() && point[*name] == *block.at(*name).high.constant()) {
            point[*name] = *block.at(*name).low.constant();
            ++name;
        }
        if (name == names.end()) return Hull{Formula(low), Formula(high), true};
        ++point[*name];
    }
}

std::optional<Runs> Runs::of(std::vector<Stride> strides, const LowerBounds& bounds) {
    std::stable_sort(strides.begin(), strides.end(), [](const Stride& a, const Stride& b) {
        return a.stride.constant().value_or(1 << 30) < b.stride.constant().value_or(1 << 30);
    });
    Runs runs(bounds);
    for (const Stride& s : strides) {
        const std::size_t before = runs.runs_.size();
        runs.add(s);
        if (runs.runs_.size() == before) continue;
        if (!is_nonnegative(s.stride - Formula(1) - runs.reach(before), bounds)) return std::nullopt;
    }
    return runs;
}

void Runs::add(const Stride& s) {
    if (runs_.size() == 1) {
        Stride& last = runs_.back();
        const auto step = last.stride.constant(), far = s.stride.constant();
        const bool whole = last.stride == Formula(1) || (step && far && *far % *step == 0);
        const Formula times = whole && step && far ? Formula(*far / *step) : s.stride;
        if (whole && is_nonnegative(last.count - times, bounds_)) {
            last.count = last.count + times * (s.count - Formula(1));
            return;
        }
    }
    runs_.push_back(s);
}

bool Runs::is_solid() const { return runs_.empty() || (runs_.size() == 1 && runs_[0].stride == Formula(1)); }

std::optional<Formula> Runs::stride() const {
    return runs_.size() == 1 ? std::optional(runs_[0].stride) : std::nullopt;
}

Formula Runs::count() const { return count(runs_.size()); }
Formula Runs::count(std::size_t levels) const {
    Formula all = 1;
    for (std::size_t i = 0; i < levels; ++i) all = all * runs_[i].count;
    return all;
}

Formula Runs::reach(std::size_t levels) const {
    Formula all = 0;
    for (std::size_t i = 0; i < levels; ++i) all = all + runs_[i].stride * (runs_[i].count - Formula(1));
    return all;
}

Formula Runs::first_from(const Formula& q) const { return first_from(q, runs_.size()); }
Formula Runs::first_from(const Formula& q, std::size_t levels) const {
    if (levels == 0) return larger(q, Formula(0), bounds_);
    const Formula& stride = runs_[levels - 1].stride;
    const Formula run = larger(ceil_div(q - reach(levels - 1), stride), Formula(0), bounds_);
    const Formula begin = stride * run;
    return levels == 1 ? begin : begin + first_from(q - begin, levels - 1);
}

Formula Runs::count_below(const Formula& q) const { return count_below(q, runs_.size()); }
Formula Runs::count_below(const Formula& q, std::size_t levels) const {
    if (levels == 0) return smaller(larger(q, Formula(0), bounds_), Formula(1), bounds_);
    const auto& [stride, count] = runs_[levels - 1];
    const auto within = [&](const Formula& n, const Formula& most) {
        return smaller(larger(n, Formula(0), bounds_), most, bounds_);
    };
    if (levels == 1) return within(ceil_div(q, stride), count);
    const Formula run = within(floor_div(q - Formula(1), stride), count - Formula(1));
    return run * this->count(levels - 1) + count_below(q - stride * run, levels - 1);
}

Hull clipped(const Formula& place, const Hull& places, const Formula& last, const Box& block,
             const LowerBounds& bounds) {
    const bool above = is_nonnegative(places.low, bounds), below = is_nonnegative(last - places.high, bounds);
    if (above && below && places.exact) return places;
    const auto strides = strides_of(place, block, bounds);
    const auto runs = strides && places.exact ? Runs::of(*strides, bounds) : std::nullopt;
    if (!runs) {
        if (const auto found = looked_up(place, last, block, Boundary::Mode::constant)) return *found;
        return {larger(places.low, Formula(0), bounds), smaller(places.high, last, bounds), false};
    }
    if (runs->is_solid()) return {larger(places.low, Formula(0), bounds), smaller(places.high, last, bounds), true};
    return {above ? places.low : places.low + runs->first_from(-places.low),
            below ? places.high : places.high - runs->first_from(places.high - last), true};
}

}  // namespace halogen
