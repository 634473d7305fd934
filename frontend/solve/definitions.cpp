#include "frontend/solve/definitions.h"

#include "frontend/formula/hull.h"
#include "frontend/notation/symbol.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// The larger of two formulas, given that no range ends before it begins.
Formula at_least_both(const Sizes& s, const Formula& a, const Formula& b) {
    for (const Constraint& c : s.constraints) {
        if (c.kind != Constraint::Kind::range) continue;
        const Formula slack = s.resolve(c.slack);
        if (is_nonnegative(a - b - slack, s.bounds)) return a;
        if (is_nonnegative(b - a - slack, s.bounds)) return b;
    }
    return larger(a, b, s.bounds);
}

/// The position after the last one written; nothing while it holds a size without a value.
std::optional<Formula> end_of(const Sizes& s, const std::vector<LastPlace>& places) {
    std::optional<Formula> last;
    bool ready = true;
    for (const LastPlace& place : places) {
        const Formula here = s.resolve(place.position);
        ready = ready && s.classes.unknowns(here).empty();
        last = last ? at_least_both(s, *last, here) : here;
    }
    return ready ? std::optional(*last + Formula(1)) : std::nullopt;
}

void define(Sizes& s, const std::string& dim, const std::vector<LastPlace>& places, const Formula& extent) {
    const Symbol symbol = Symbol::of(dim);
    const Reason why{places.front().equation, symbol.name, symbol.number, "",
                     fmt::format("dim {} of `{}` ends at the last position written", symbol.number, symbol.name)};
    std::vector<Formula> from;
    for (const LastPlace& place : places) from.push_back(place.position);
    if (s.classes.value(dim)) {
        const bool given = s.given.contains(s.classes.root(dim));
        s.equalities.push_back({Formula::symbol(dim), extent, why, false, given, std::move(from), ""});
    } else {
        s.classes.set_value(dim, extent);
        derive(s, dim, Derivation::How::written, why.equation, std::move(from), "");
    }
    for (int id : s.constraints_of[*s.classes.class_of(dim)]) {
        Constraint& c = s.constraints[id];
        if (c.is_left && c.why.tensor == why.tensor && c.why.dim == why.dim && c.kind != Constraint::Kind::below)
            c.satisfied = true;
    }
}

}  // namespace

Sizes&& find_definitions(Sizes&& s) {
    std::set<std::string> pinned;
    for (const Use& use : s.model->uses) {
        if (!use.is_left) continue;
        std::optional<Box> box;
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            const DimModel& dim = KernelModel::dim(use, d);
            if (dim.declared) continue;
            const Place& p = use.places[d];
            if (p.bare && !s.indices[use.equation].at(*p.bare).fixed) {
                pinned.insert(*dim.name);
            } else if (p.formula) {
                if (!box) box = box_of(s, use.equation);
                s.definitions[*dim.name].push_back({hull_of(*p.formula, *box, s.bounds).high, use.equation});
            }
        }
    }
    for (const auto& name : pinned) s.definitions.erase(name);
    return std::move(s);
}

bool use_definitions(Sizes& s) {
    bool progress = false;
    for (auto at = s.definitions.begin(); at != s.definitions.end();) {
        const auto extent = end_of(s, at->second);
        if (!extent) {
            ++at;
            continue;
        }
        define(s, at->first, at->second, *extent);
        at = s.definitions.erase(at);
        progress = true;
    }
    return progress;
}

}  // namespace halogen
