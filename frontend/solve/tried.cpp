#include "frontend/solve/tried.h"

#include "frontend/solve/upper.h"

#include <algorithm>

namespace halogen {

namespace {

constexpr std::int64_t most_points = 1 << 17;

/// The values of an index, from `first` to below `end`.
struct Range {
    std::string index;
    std::int64_t first, end;
};

/// A place over the names of its indices, and what it has to lie in.
struct TriedPlace {
    const Use* use;
    Formula place;
    std::map<std::string, Hull> box;  // over the class that is tried
    std::int64_t least, most;
};

const Use* use_of(const Sizes& s, const CheckedPlace& place) {
    for (const Use& use : s.model->uses_of(place.equation))
        if (use.text == place.access) return &use;
    return nullptr;
}

/// The use that the place is of, if it reaches the further the larger the class is.
const Use* use_that_moves(const Sizes& s, const LoosePlace& loose, const std::string& root) {
    const int d = loose.place.dim;
    const Use* const use = use_of(s, loose.place);
    return use && is_left_extent_of(s, *use, d, root) && only_reaches_further_with(s, *use, d, root) ? use : nullptr;
}

/// Nothing where the place does not move with the class, or a number is missing.
std::optional<TriedPlace> tried_place(const Sizes& s, const LoosePlace& loose, const std::string& root) {
    const int d = loose.place.dim;
    const Use* const use = use_that_moves(s, loose, root);
    if (!use) return std::nullopt;
    TriedPlace tried{use, s.resolve(*use->places[d].formula), {}, 0, 0};
    const Box all = box_of(s, use->equation);
    bool is_known = true;
    tried.place.for_each_symbol([&](const std::string& name) {
        const auto range = all.find(name);
        if (range == all.end()) return void(is_known = false);
        const Hull hull{s.classes.resolve(range->second.low, root), s.classes.resolve(range->second.high, root)};
        for (const Formula* end : {&hull.low, &hull.high})
            end->for_each_symbol([&](const std::string& open) { is_known = is_known && open == root; });
        tried.box.emplace(name, hull);
    });
    const DimModel& dim = KernelModel::dim(*use, d);
    const auto extent = s.resolve(dim.extent).constant(), low = s.resolve(dim.pad_low).constant(),
               high = s.resolve(dim.pad_high).constant();
    if (!is_known || !extent || !low || !high) return std::nullopt;
    tried.least = use->is_left ? 0 : -*low;
    tried.most = *extent - 1 + (use->is_left ? 0 : *high);
    return tried;
}

/// Whether the place stays inside at every point; nothing where there are too many.
std::optional<bool> stays_inside(const TriedPlace& tried, const std::string& root, std::int64_t extent) {
    std::vector<Range> ranges;
    std::int64_t points = 1;
    for (const auto& [index, hull] : tried.box) {
        const Bindings size{{root, extent}};
        ranges.push_back({index, evaluate(hull.low, size), evaluate(hull.high, size) + 1});
        const std::int64_t count = std::max<std::int64_t>(0, ranges.back().end - ranges.back().first);
        if (count > most_points) return std::nullopt;
        points *= count;
        if (points > most_points) return std::nullopt;
    }
    if (points == 0) return true;
    Bindings at;
    for (const Range& r : ranges) at[r.index] = r.first;
    for (;;) {
        const std::int64_t place = evaluate(tried.place, at);
        if (place < tried.least || place > tried.most) return false;
        auto moved = ranges.begin();
        while (moved != ranges.end() && ++at[moved->index] == moved->end) at[moved->index] = moved->first, ++moved;
        if (moved == ranges.end()) return true;
    }
}

}  // namespace

std::optional<TriedExtent> largest_by_points(const Sizes& s, const std::string& root,
                                             std::optional<std::int64_t> most) {
    std::optional<TriedExtent> least;
    for (const LoosePlace& loose : s.loose) {
        const auto tried = tried_place(s, loose, root);
        if (!tried || (most && stays_inside(*tried, root, *most).value_or(true))) continue;
        const auto extent = largest_that_fits([&](std::int64_t n) { return stays_inside(*tried, root, n); });
        if (extent && (!least || *extent < least->extent)) least = TriedExtent{*extent, &loose, tried->use};
    }
    return least;
}

const LoosePlace* untried_end(const Sizes& s, const std::string& root) {
    const auto end = std::ranges::find_if(s.loose, [&](const LoosePlace& loose) {
        return use_that_moves(s, loose, root) && may_end(s.classes.resolve(loose.slack, root), root) &&
               !tried_place(s, loose, root);
    });
    return end == s.loose.end() ? nullptr : &*end;
}

}  // namespace halogen
