#include "frontend/solve/largest.h"

#include "frontend/notation/symbol.h"
#include "frontend/solve/tried.h"
#include "frontend/solve/upper.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// The class has this value, the largest that keeps `constraints`; `satisfied` hold by it.
void take_largest(Sizes& s, const std::string& root, Formula value, const std::vector<int>& constraints,
                  const std::vector<int>& satisfied) {
    const Constraint first = s.constraints[constraints.front()];
    std::vector<Formula> slacks;
    for (int id : constraints) slacks.push_back(s.constraints[id].slack);
    for (int id : satisfied) s.constraints[id].satisfied = true;
    derive(s, root, Derivation::How::largest, first.why.equation, std::move(slacks), first.access);
    const Formula extent = Formula::symbol(root);
    const Reason why{first.why.equation, first.why.tensor, first.why.dim, "", ", from " + first.access};
    const std::string shown = fmt::format("`{}`", Symbol::of(root).shown());
    add_constraint(s, {Constraint::Kind::largest, extent - Formula(1), why, shown, extent, false, false, root});
    s.classes.set_value(root, std::move(value));
    s.maximized.emplace(root, 1);
}

/// The output's buffer gives the extent, with guards that it fits and that one more would not.
bool take_from_output(Sizes& s, const std::string& root) {
    const auto constraints = falling_constraints(s, root);
    if (constraints.empty()) return false;
    const auto source = output_with(s, root);
    if (!source) return false;
    const Formula extent = Formula::symbol(root);
    const std::map<std::string, Formula> one_more{{root, extent + Formula(1)}};
    std::optional<Formula> least;
    for (int id : constraints) {
        const Formula slack = s.classes.resolve(s.constraints[id].slack, root);
        const auto open = s.classes.unknowns(slack);
        if (!open.empty() && open != std::vector<std::string>{root}) return false;
        const Formula more = slack.substitute(one_more);
        least = least ? smaller(*least, more, s.bounds) : more;
    }
    if (!may_end(*least, root)) return false;
    const Constraint& first = s.constraints[constraints.front()];
    const Reason why{first.why.equation, first.why.tensor, first.why.dim, "",
                     fmt::format("`{}` is the largest extent that keeps {} inside", root, first.access)};
    const std::string access = first.access;
    for (int id : constraints) s.constraints[id].is_strict = true;
    open_size(s, root, *source);
    add_constraint(s, {Constraint::Kind::boundary, -*least - Formula(1), why, access, extent});
    add_constraint(s, {Constraint::Kind::boundary, extent - Formula(1), why, access, extent});
    return true;
}

/// Each point was looked at, for places without exact bounds, as far as `most`, to which the others reach.
bool take_by_points(Sizes& s, const std::string& root, std::optional<std::int64_t> most) {
    const auto tried = largest_by_points(s, root, most);
    if (!tried) return false;
    const auto& [slack, place] = *tried->bound;
    const int id = static_cast<int>(s.constraints.size());
    add_constraint(s, {Constraint::Kind::above,
                       slack,
                       {place.equation, tried->use->access->tensor, place.dim, "", ""},
                       place.access,
                       slack});
    take_largest(s, root, tried->extent, {id}, {id});
    return true;
}

}  // namespace

bool is_equated(const Sizes& s, const std::string& root) {
    const auto holds_root = [&](const Formula& f) {
        const auto names = s.classes.unknowns(f);
        return std::find(names.begin(), names.end(), root) != names.end();
    };
    for (const Equality& e : s.equalities) {
        if (!e.done && (holds_root(e.left) || holds_root(e.right))) return true;
    }
    for (const auto& [name, list] : s.definitions) {
        if (s.classes.root(name) == root) return true;
    }
    return false;
}

bool maximize(Sizes& s, const std::string& root, bool even_if_equated) {
    if (!is_eligible(s, root) || (!even_if_equated && is_equated(s, root))) return false;
    const Upper upper = largest_bound(s, root);
    if (upper.waits || upper.is_outside_cases) return false;
    const auto most = upper.value ? upper.value->constant() : std::nullopt;
    if ((most || (!upper.value && even_if_equated)) && take_by_points(s, root, most)) return true;
    if (!is_left_extent(s, root)) return false;
    if (!upper.value) return even_if_equated && take_from_output(s, root);
    if (untried_end(s, root)) return false;
    s.positive.insert(s.positive.end(), upper.positive.begin(), upper.positive.end());
    take_largest(s, root, *upper.value, upper.constraints, upper.satisfied);
    return true;
}

}  // namespace halogen
