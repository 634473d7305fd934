#include "frontend/project/projection.h"

#include "frontend/project/cells.h"
#include "frontend/project/runs.h"
#include "frontend/solve/model.h"
#include "frontend/solve/place.h"

#include <algorithm>

namespace halogen {

namespace {

Hull whole_dim(const Formula& extent) { return {Formula(0), extent - Formula(1)}; }

class Projector {
public:
    Projector(const Kernel& kernel, const Solution& s, int equation, const Box& block)
        : model_(kernel),
          solution_(s),
          equation_(equation),
          bounds_(lower_bounds(kernel, s)),
          box_(box_of(s, equation)) {
        for (const auto& [index, values] : block) box_[index] = values;
    }

    std::vector<Projection> all() const {
        std::vector<Projection> projections;
        for (const Use& use : model_.uses_of(equation_)) projections.push_back(projection(use));
        return projections;
    }

private:
    Projection projection(const Use& use) const {
        Projection p{equation_, use.access->tensor, use.text, use.is_left, {}, {}};
        std::vector<CellPlace> cells;
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            const Formula& extent = solution_.extents.at(p.tensor)[d];
            if (!use.places[d].formula) {
                p.dims.push_back({whole_dim(extent), whole_dim(extent), whole_dim(extent), true});
                continue;
            }
            const Formula place = resolved(*use.places[d].formula, true);
            const Hull places = hull_of(place, box_, bounds_);
            p.dims.push_back(reached(use, d, place, places, extent));
            cells.push_back(
                {place, places, p.dims.back().inside, extent, use.is_left ? Boundary::Mode::none : mode_of(use)});
        }
        if (cells.size() != p.dims.size()) return p;
        p.cells = cell_count(cells, box_, bounds_);
        if (!p.cells && is_number(cells)) {
            if (const auto count = count_cells(cells, box_)) p.cells = Formula(*count);
        }
        return p;
    }

    Boundary::Mode mode_of(const Use& use) const { return model_.kernel.tensor(use.access->tensor).boundary.mode; }

    Reached reached(const Use& use, int d, const Formula& place, const Hull& places, const Formula& extent) const {
        const bool padded = KernelModel::dim(use, d).padded && !use.is_left;
        if (!padded && places.exact) return {places, places, places};
        using Mode = Boundary::Mode;
        const Mode mode = padded ? mode_of(use) : Mode::constant;
        const Formula last = extent - Formula(1);
        const auto held = folded(mode, places, last);
        if (!held) {
            const Hull inside = clipped(place, places, last, box_, bounds_);
            return {places, inside, inside};
        }
        return {places, held->exact ? *held : looked_up(place, last, box_, mode).value_or(*held), *held};
    }

    /// What must be held so that padding reads the same elements; nothing where it reads none.
    std::optional<Hull> folded(Boundary::Mode mode, const Hull& places, const Formula& last) const {
        const auto least = [&](const Formula& a, const Formula& b) { return smaller(a, b, bounds_); };
        const auto most = [&](const Formula& a, const Formula& b) { return larger(a, b, bounds_); };
        const Formula none = 0;
        const auto& [low, high, exact] = places;
        using Mode = Boundary::Mode;
        switch (mode) {
        case Mode::edge: return Hull{least(most(low, none), last), most(least(high, last), none), exact};
        case Mode::reflect:
            return Hull{most(none, least(low, Formula(2) * last - high)), least(last, most(high, -low)), false};
        case Mode::symmetric:
            return Hull{most(none, least(low, Formula(2) * last + Formula(1) - high)),
                        least(last, most(high, -low - Formula(1))), false};
        case Mode::wrap:
            if (is_nonnegative(low, bounds_) && is_nonnegative(last - high, bounds_)) return places;
            return Hull{none, last, false};
        default: return std::nullopt;
        }
    }

    Formula resolved(const Formula& f, bool in_equation) const {
        const auto size_of = [&](const std::string& name) -> const Formula* {
            if (in_equation && solution_.indices[equation_].contains(name)) return nullptr;
            const auto at = solution_.sizes.find(name);
            return at == solution_.sizes.end() ? nullptr : &at->second;
        };
        return f.substitute(size_of);
    }

    bool is_number(const std::vector<CellPlace>& cells) const {
        const auto number = [](const Hull& h) { return h.low.is_constant() && h.high.is_constant(); };
        return std::all_of(cells.begin(), cells.end(),
                           [&](const CellPlace& c) { return number(c.places) && c.extent.is_constant(); }) &&
               std::all_of(box_.begin(), box_.end(), [&](const auto& entry) { return number(entry.second); });
    }

    const KernelModel model_;
    const Solution& solution_;
    const int equation_;
    const LowerBounds bounds_;
    Box box_;
};

}  // namespace

Formula first_of(const std::string& index) { return Formula::symbol(index + ".first"); }
Formula count_of(const std::string& index) { return Formula::symbol(index + ".count"); }

Hull block_of(const IndexRange& range, const std::string& index) {
    const Formula low = range.min + first_of(index);
    return {low, low + count_of(index) - Formula(1)};
}

std::vector<Hull> whole_window(const Solution& s, const std::string& tensor) {
    std::vector<Hull> window;
    for (const Formula& extent : s.extents.at(tensor)) window.push_back(whole_dim(extent));
    return window;
}

std::vector<Projection> project(const Kernel& kernel, const Solution& s, int equation, const Box& block) {
    return Projector(kernel, s, equation, block).all();
}

LowerBounds lower_bounds(const Kernel& kernel, const Solution& s) {
    LowerBounds bounds;
    for (const Guard& g : s.guards) {
        const auto name = g.right.as_symbol();
        if (g.relation == Relation::at_most && name && g.left == Formula(1)) bounds[*name] = 1;
    }
    for (const Equation& e : kernel.equations)
        for (const std::string& index : indices_of(e)) bounds[index + ".count"] = 1;
    return bounds;
}

}  // namespace halogen
