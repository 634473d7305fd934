// Rule 2 where no formula gives the largest extent (`X[i*i]`, `X[i % 7 + i/3]`): with numbers it is searched for, for what
// an access reaches over 0..n-1 never falls as n grows; with open sizes it is that of an output's buffer, under guards.

#include "frontend/solve/solver.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

constexpr std::int64_t largest_searched = std::int64_t{1} << 40;

}  // namespace

/// True when the class is the extent of indices alone: then the access reaches the further the larger it is.
bool KernelSolver::only_falls_with(const Constraint& c, const std::string& root) const {
    if (!c.use || c.kind > Constraint::Kind::below) return false;
    const auto holds_root = [&](const Formula& f) {
        bool found = false;
        f.for_each_symbol([&](const std::string& name) {
            const bool is_index = indices_[c.use->equation].contains(name);
            found = found || (!is_index && sizes_.is_in(name, root));
        });
        return found;
    };
    const DimModel& dim = model_.dim(*c.use, c.why.dim);
    if (holds_root(dim.extent) || holds_root(dim.pad_low) || holds_root(dim.pad_high)) return false;
    if (holds_root(*c.use->places[c.why.dim].formula)) return false;
    return std::none_of(
        model_.ranges[c.use->equation].begin(), model_.ranges[c.use->equation].end(),
        [&](const auto& range) { return holds_root(range.second.begin) || holds_root(range.second.end); });
}

std::vector<int> KernelSolver::falling_constraints(const std::string& root) const {
    std::vector<int> ids;
    const auto list = constraints_of_.find(*sizes_.class_of(root));
    if (list == constraints_of_.end()) return ids;
    for (int id : list->second) {
        const Constraint& c = constraints_[id];
        if (c.is_left && definitions_.contains(KernelModel::dim_name(c.why.tensor, c.why.dim))) continue;  // it follows
        if (only_falls_with(c, root)) ids.push_back(id);
    }
    return ids;
}

/// By doubling and halving; nothing where another size is open, or where any extent fits.
std::optional<std::int64_t> KernelSolver::largest_that_fits(const std::string& root,
                                                            const std::vector<int>& constraints) const {
    std::vector<Formula> slacks;
    for (int id : constraints) {
        slacks.push_back(sizes_.resolve(constraints_[id].slack, root));
        const auto names = slacks.back().symbols();
        if (names.size() > 1 || (names.size() == 1 && !names.contains(root))) return std::nullopt;
    }
    const auto fits = [&](std::int64_t extent) {
        return std::all_of(slacks.begin(), slacks.end(), [&](const Formula& slack) {
            try {
                return evaluate(slack, {{root, extent}}) >= 0;
            } catch (const Failure&) {
                return false;  // past 2^62, or a divisor that another guard refuses
            }
        });
    };
    std::int64_t low = 0, high = 1;
    while (fits(high)) {
        if (high >= largest_searched) return std::nullopt;
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

bool KernelSolver::search_largest(const std::string& root) {
    const auto constraints = falling_constraints(root);
    if (!is_left_extent(root, constraints)) return false;
    const auto largest = largest_that_fits(root, constraints);
    if (largest) take_largest(root, *largest, constraints, constraints);
    return largest.has_value();
}

/// The output's buffer gives the extent, with guards that it fits and that one more would not.
bool KernelSolver::take_from_output(const std::string& root) {
    const auto constraints = falling_constraints(root);
    if (!is_left_extent(root, constraints)) return false;
    SymbolSource source;
    for (const Tensor* t : kernel_.outputs()) {
        for (int d = 0; d < t->rank && source.tensor.empty(); ++d) {
            const auto& name = model_.dims.at(t->name)[d].name;
            if (name && sizes_.is_in(*name, root)) source = {t->name, d};
        }
    }
    if (source.tensor.empty()) return false;
    const Formula extent = Formula::symbol(root);
    const std::map<std::string, Formula> one_more{{root, extent + Formula(1)}};
    std::optional<Formula> least;
    Bindings some;  // is there an end at all, for some sizes?
    for (int id : constraints) {
        const Formula slack = sizes_.resolve(constraints_[id].slack, root);
        if (!sizes_.unknowns(slack).empty() && sizes_.unknowns(slack) != std::vector<std::string>{root}) return false;
        for (const auto& name : slack.symbols()) some[name] = 1;
        const Formula more = slack.substitute(one_more);
        least = least ? smaller(*least, more, bounds_) : more;
    }
    some[root] = largest_searched;
    try {
        if (evaluate(*least, some) >= -largest_searched / 1024) return false;
    } catch (const Failure&) {
        // Past 64 bits, or without a value for these sizes: nothing speaks against an end.
    }
    const Constraint& first = constraints_[constraints.front()];
    const Reason why{first.why.equation, first.why.tensor, first.why.dim, "",
                     fmt::format("`{}` is the largest extent that keeps {} inside", root, first.access)};
    const std::string access = first.access;
    open(root, source, true);
    add_constraint({Constraint::Kind::boundary, -*least - Formula(1), why, access, extent});
    add_constraint({Constraint::Kind::boundary, extent - Formula(1), why, access, extent});
    return true;
}

/// The class has this value, the largest that keeps `constraints`; `satisfied` hold by it.
void KernelSolver::take_largest(const std::string& root, Formula value, const std::vector<int>& constraints,
                                const std::vector<int>& satisfied) {
    const Constraint first = constraints_[constraints.front()];
    std::vector<Formula> slacks;
    for (int id : constraints) slacks.push_back(constraints_[id].slack);
    for (int id : satisfied) constraints_[id].satisfied = true;
    derive(root, Derivation::How::largest, first.why.equation, std::move(slacks), first.access);
    const std::string shown = root.substr(0, root.find('@'));
    add_constraint({Constraint::Kind::largest,
                    Formula::symbol(root) - Formula(1),
                    {first.why.equation, first.why.tensor, first.why.dim, "", ", from " + first.access},
                    "`" + shown + "`",
                    Formula::symbol(root),
                    false,
                    false,
                    root});
    sizes_.set_value(root, std::move(value));
    maximized_.emplace(root, 1);
}

}  // namespace halogen
