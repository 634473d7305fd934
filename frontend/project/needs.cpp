#include "frontend/project/needs.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

namespace halogen {

namespace {

class Chain {
public:
    Chain(const Kernel& kernel, const Solution& s, Section section, const std::map<int, Box>& fixed)
        : kernel_(kernel), solution_(s), section_(section), fixed_(fixed), bounds_(lower_bounds(kernel, s)) {}

    Needs needs(const std::map<std::string, Window>& wanted) {
        windows_ = wanted;
        // Windows grow from reader to writer; as many rounds as there are equations reach every one, unless two tensors
        // that read each other's neighbours grow for ever: those are needed whole.
        const int rounds = 2 + section_.end - section_.first;
        for (int round = 0; round < rounds && grow(false); ++round) continue;
        if (grow(false))
            while (grow(true)) continue;
        Needs needs{std::vector<std::optional<Box>>(kernel_.equations.size()), windows_, {}};
        for (int e = section_.first; e < section_.end; ++e) {
            if (!windows_.contains(kernel_.equations[e].left.tensor)) continue;
            needs.blocks[e] = block(e);
            for (const Projection& p : project(kernel_, solution_, e, block(e)))
                if (!p.is_left) reach(needs.reached, p);
        }
        return needs;
    }

private:
    /// One round; true when a window grew.
    bool grow(bool to_whole) {
        bool grew = false;
        for (int e = section_.end; e-- > section_.first;) {
            const Access& left = kernel_.equations[e].left;
            if (!windows_.contains(left.tensor)) continue;
            for (int d = 0; d < static_cast<int>(left.at.size()); ++d)
                if (!is_cut_by_an_index(e, d)) grew |= set(left.tensor, d, whole(left.tensor, d));
            for (const Projection& p : project(kernel_, solution_, e, block(e))) {
                if (p.is_left || p.tensor == left.tensor) continue;
                grew |= add(p, to_whole);
            }
        }
        return grew;
    }

    void reach(std::map<std::string, Window>& reached, const Projection& p) const {
        Window& all = reached[p.tensor];
        for (std::size_t d = 0; d < p.dims.size(); ++d) {
            const Hull& places = p.dims[d].places;
            if (d == all.size())
                all.push_back(places);
            else
                all[d] = hull_of_both(all[d], places);
        }
    }

    Hull hull_of_both(const Hull& a, const Hull& b) const {
        return {smaller(a.low, b.low, bounds_), larger(a.high, b.high, bounds_), a.exact && b.exact};
    }

    Hull whole(const std::string& tensor, int d) const { return whole_window(solution_, tensor)[d]; }

    bool add(const Projection& p, bool to_whole) {
        if (!windows_.contains(p.tensor)) {
            Window window;
            for (const Reached& r : p.dims) window.push_back(r.held);
            windows_.emplace(p.tensor, std::move(window));
            return true;
        }
        bool grew = false;
        for (int d = 0; d < static_cast<int>(p.dims.size()); ++d) grew |= widen(p.tensor, d, p.dims[d].held, to_whole);
        return grew;
    }

    bool widen(const std::string& tensor, int d, const Hull& by, bool to_whole) {
        const Hull& window = windows_.at(tensor)[d];
        const Hull all = hull_of_both(window, by);
        if (all.low == window.low && all.high == window.high) return false;
        return set(tensor, d, to_whole ? whole(tensor, d) : all);
    }

    bool set(const std::string& tensor, int d, const Hull& places) {
        Hull& window = windows_.at(tensor)[d];
        if (window.low == places.low && window.high == places.high) return false;
        window = places;
        return true;
    }

    /// The writer's place in the dim is one index alone, or its block is fixed; and what the equation reads of its own tensor
    /// stands at the same place of that dim.
    bool is_cut_by_an_index(int e, int d) const {
        const Equation& equation = kernel_.equations[e];
        const Expr& place = equation.left.at[d];
        bool same = bare_index(place) || holds_fixed(e, place);
        each_self_read(equation, [&](const Access& read) { same = same && read.at[d] == place; });
        return same;
    }

    bool holds_fixed(int e, const Expr& place) const {
        const auto box = fixed_.find(e);
        bool found = false;
        if (box == fixed_.end()) return false;
        walk(place, [&](const Expr& node) {
            if (const auto* index = node.as<IndexRef>()) found = found || box->second.contains(index->name);
        });
        return found;
    }

    Box block(int e) const {
        Box box = box_of(solution_, e);
        const Access& left = kernel_.equations[e].left;
        const Window& window = windows_.at(left.tensor);
        const Window all = whole_window(solution_, left.tensor);
        for (int d = 0; d < static_cast<int>(left.at.size()); ++d) {
            const auto index = bare_index(left.at[d]);
            if (!index || (window[d].low == all[d].low && window[d].high == all[d].high)) continue;
            Hull& values = box.at(*index);
            if (values.low == all[d].low &&
                values.high == all[d].high)  // the index runs over the dim, and windows lie within
                values = window[d];
            else
                values = {larger(values.low, window[d].low, bounds_), smaller(values.high, window[d].high, bounds_),
                          values.exact && window[d].exact};
        }
        if (const auto at = fixed_.find(e); at != fixed_.end())
            for (const auto& [index, values] : at->second) box[index] = values;
        return box;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Section section_;
    const std::map<int, Box>& fixed_;
    const LowerBounds bounds_;
    std::map<std::string, Window> windows_;
};

}  // namespace

Needs needs_of(const Kernel& kernel, const Solution& s, Section section, const std::map<std::string, Window>& wanted,
               const std::map<int, Box>& fixed) {
    return Chain(kernel, s, section, fixed).needs(wanted);
}

}  // namespace halogen
