// Sizes of inputs from what is known of outputs: equalities with given numbers go to the exact engine (System); what
// stays open beside other open sizes is inverted as a formula.

#include "frontend/solve/solver.h"

#include "frontend/formula/bound.h"
#include "frontend/integers/system.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

/// A dim of an input read at a compound place is chosen, the least that will do; windows and parameters are not.
bool KernelSolver::is_read_at_compound(const std::string& symbol) const {
    if (kernel_.find_size(symbol)) return false;
    return std::any_of(model_.uses.begin(), model_.uses.end(), [&](const Use& use) {
        if (use.is_left) return false;
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            const DimModel& dim = model_.dim(use, d);
            const Place& p = use.places[d];
            if (!dim.name || sizes_.root(*dim.name) != symbol || !p.formula || p.formula->is_constant()) continue;
            if (!p.bare || is_stencil_read(use, d, *p.bare)) return true;
        }
        return false;
    });
}

void KernelSolver::substitute(const std::string& symbol, const Formula& value) {
    const std::map<std::string, Formula> values{{symbol, value}};
    sizes_.substitute(values);
    for (Formula& f : positive_) f = f.substitute(values);
    for (Guard& g : guards_) {
        g.left = g.left.substitute(values);
        g.right = g.right.substitute(values);
        for (Formula& extent : g.over) extent = extent.substitute(values);
    }
    symbols_.erase(std::find(symbols_.begin(), symbols_.end(), symbol));
    sources_.erase(symbol);
}

/// Solves one equality for the first open input size read at a compound place, taking the least value.
bool KernelSolver::invert(const Equality& e) {
    const Formula difference = sizes_.resolve(e.left) - sizes_.resolve(e.right);
    for (const auto& symbol : symbols_) {
        if (!mentions(difference, symbol) || !is_read_at_compound(symbol)) continue;
        std::vector<Formula> positive;
        auto least = least_with_nonnegative(difference, symbol, positive);
        if (!least) least = least_with_nonnegative(-difference, symbol, positive);
        if (!least || mentions(*least, symbol)) continue;
        positive_.insert(positive_.end(), positive.begin(), positive.end());
        const Formula value = *least;
        const Reason why{e.why.equation, e.why.tensor, e.why.dim, "", ": " + e.why.text};
        add_constraint({Constraint::Kind::largest, value - Formula(1), why, fmt::format("`{}`", symbol), value, false});
        derive(symbol, Derivation::How::least, e.why.equation, {e.left, e.right}, "");
        substitute(std::string(symbol), value);
        return true;
    }
    return false;
}

namespace {

std::string interval(const Range& r) {
    if (r.is_point()) return to_string(r.lo->num);
    return fmt::format("[{}, {}]", r.lo ? to_string(r.lo->num) : "-inf", r.hi ? to_string(r.hi->num) : "inf");
}

}  // namespace

/// Throws what the engine found wrong with the equalities `group`.
void KernelSolver::fail_system(const SystemAnswer& answer, const std::vector<int>& group) const {
    const Equality& first = equalities_[group.front()];
    failing_.clear();
    for (int i : group) {
        failing_.push_back(equalities_[i].left);
        failing_.push_back(equalities_[i].right);
        failing_.insert(failing_.end(), equalities_[i].from.begin(), equalities_[i].from.end());
    }
    std::string names, relations;
    for (const auto& n : answer.unresolved) {
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", n);
        if (const auto at = answer.ranges.find(n);
            at != answer.ranges.end() && *answer.error != ErrorKind::contradictory) {
            const Range& r = at->second;
            if (*answer.error == ErrorKind::underdetermined)
                names += " in " + interval(r);
            else if (r.is_point())
                names +=
                    fmt::format(" = {}{}", to_string(r.lo->num), r.lo->is_integer() ? "" : "/" + to_string(r.lo->den));
        }
    }
    for (int i : group) {
        const Equality& e = equalities_[i];
        relations += fmt::format("{}{} == {}", relations.empty() ? "" : " and ", print(sizes_.resolve(e.left)),
                                 print(sizes_.resolve(e.right)));
    }
    switch (*answer.error) {
    case ErrorKind::underdetermined:
        throw Failure(error_at(*answer.error, fmt::format("several sizes will do: {}, from {}", names, relations),
                               first.why.equation, fmt::format("set it: --set {}=INT", answer.unresolved.front())));
    case ErrorKind::non_integer:
        throw Failure(error_at(*answer.error, fmt::format("no whole number will do: {}, from {}", names, relations),
                               first.why.equation, "change a given size to one that divides"));
    case ErrorKind::negative:
        throw Failure(error_at(*answer.error,
                               fmt::format("no size of at least 1 will do: {}, from {}", names, relations),
                               first.why.equation, "give larger sizes, or a smaller window, stride or dilation"));
    default:
        throw Failure(error_at(*answer.error, fmt::format("{} cannot hold: {}", relations, first.why.text),
                               first.why.equation, "change one of the given sizes"));
    }
}

/// Asks the engine about one group of equalities over common symbols. True when something was solved.
bool KernelSolver::solve_group(const std::vector<int>& group, const std::set<std::string>& symbols) {
    System system;
    std::vector<std::string> choose;
    bool given = false;
    for (const auto& s : symbols_) {
        if (!symbols.contains(s)) continue;
        system.add_unknown(s, kernel_.find_size(s) ? 0 : 1);
        if (is_read_at_compound(s)) choose.push_back(s);
    }
    for (int i : group) {
        system.add_equal(sizes_.resolve(equalities_[i].left), sizes_.resolve(equalities_[i].right), i);
        given = given || equalities_[i].given;
    }
    for (const Formula& f : positive_) {
        const Formula r = sizes_.resolve(f);
        if (const auto name = r.as_symbol(); name && symbols.contains(*name)) system.add_at_most(1, r, -1);
    }
    SystemAnswer answer = system.solve({}, choose);
    // Accesses that have to fit come in only where the first answer does not fit: there are many of them.
    for (const Constraint& c : constraints_) {
        if (c.satisfied) continue;
        const Formula slack = sizes_.resolve(c.slack);
        const auto names = slack.symbols();
        if (names.empty() ||
            !std::all_of(names.begin(), names.end(), [&](const auto& n) { return symbols.contains(n); }))
            continue;
        Bindings values;
        for (const auto& n : names) {
            if (answer.values.contains(n)) values.emplace(n, narrow(answer.values.at(n)));
        }
        if (values.size() == names.size() && evaluate(slack, values) >= 0) continue;
        system.add_at_most(0, slack, -1);
        answer = system.solve({}, choose);
    }
    if (answer.error && *answer.error != ErrorKind::underdetermined) fail_system(answer, group);
    bool solved = false;
    const auto is_chosen = [&](const std::string& n) {
        return std::find(choose.begin(), choose.end(), n) != choose.end();
    };
    const bool windows_left = std::any_of(answer.ranges.begin(), answer.ranges.end(),
                                          [&](const auto& r) { return !is_chosen(r.first) && !r.second.is_point(); });
    for (const auto& [name, value] : answer.values) {
        // A size chosen least beside open windows is a formula of them, not a number; and it does not choose them.
        if (windows_left && !answer.ranges.at(name).is_point()) continue;
        const Equality& first = equalities_[group.front()];
        derive(name, Derivation::How::least, first.why.equation, {first.left, first.right}, "");
        substitute(name, narrow_extent(value));
        solved = true;
    }
    if (solved || !windows_left) return solved;
    for (int i : group) {
        if (invert(equalities_[i])) return true;
    }
    if (given && answer.error) fail_system(answer, group);
    return false;
}

void KernelSolver::solve_backward() {
    if (known_.empty()) return;
    for (bool progress = true; progress;) {
        progress = false;
        std::vector<std::pair<std::vector<int>, std::set<std::string>>> groups;
        for (int i = 0; i < static_cast<int>(equalities_.size()); ++i) {
            if (equalities_[i].done) continue;
            const Formula difference = sizes_.resolve(equalities_[i].left) - sizes_.resolve(equalities_[i].right);
            if (difference.is_constant()) continue;
            std::vector<int> members{i};
            std::set<std::string> names = difference.symbols();
            std::erase_if(groups, [&](const auto& g) {
                const bool shares =
                    std::any_of(names.begin(), names.end(), [&](const auto& n) { return g.second.contains(n); });
                if (!shares) return false;
                members.insert(members.end(), g.first.begin(), g.first.end());
                names.insert(g.second.begin(), g.second.end());
                return true;
            });
            std::sort(members.begin(), members.end());
            groups.emplace_back(std::move(members), std::move(names));
        }
        for (const auto& [members, names] : groups) {
            if (solve_group(members, names)) progress = true;
        }
    }
    fit_inputs();
}

/// With an output's size given, an input read at compound places alone is as small as its accesses let it be.
void KernelSolver::fit_inputs() {
    const bool output_given = std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const Tensor& t) {
        if (t.role != Role::output) return false;
        for (int d = 0; d < t.rank; ++d) {
            const auto& name = model_.dims.at(t.name)[d].name;
            if (known_.contains(KernelModel::dim_name(t.name, d)) || (name && known_.contains(*name))) return true;
        }
        return false;
    });
    if (!output_given) return;
    for (const auto& symbol : std::vector(symbols_)) {
        if (!is_read_at_compound(symbol)) continue;
        std::optional<Formula> least;
        std::vector<Formula> positive;
        bool above = false;
        for (const Constraint& c : constraints_) {
            const Formula slack = sizes_.resolve(c.slack);
            if (c.satisfied || !mentions(slack, symbol)) continue;
            const auto bound = least_with_nonnegative(slack, symbol, positive);
            if (bound && bound->is_constant())
                least = least ? larger(*least, *bound) : *bound;
            else
                above = true;
        }
        if (least && !above) substitute(symbol, larger(*least, 1));
    }
}

}  // namespace halogen
