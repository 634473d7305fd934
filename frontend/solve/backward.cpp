#include "frontend/solve/backward.h"

#include "frontend/formula/bound.h"
#include "frontend/integers/system.h"
#include "frontend/solve/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// Solves one equality for the first open input size read at a compound place, taking the least value.
bool invert(Sizes& s, const Equality& e) {
    const Formula difference = s.resolve(e.left) - s.resolve(e.right);
    for (const auto& symbol : s.symbols) {
        if (!mentions(difference, symbol) || !is_chosen(s, symbol)) continue;
        std::vector<Formula> positive;
        auto least = least_with_nonnegative(difference, symbol, positive);
        if (!least) least = least_with_nonnegative(-difference, symbol, positive);
        if (!least || mentions(*least, symbol)) continue;
        s.positive.insert(s.positive.end(), positive.begin(), positive.end());
        const Formula value = *least;
        const Reason why{e.why.equation, e.why.tensor, e.why.dim, "", ": " + e.why.text};
        add_constraint(s,
                       {Constraint::Kind::largest, value - Formula(1), why, fmt::format("`{}`", symbol), value, false});
        derive(s, symbol, Derivation::How::least, e.why.equation, {e.left, e.right}, "");
        substitute(s, std::string(symbol), value);
        return true;
    }
    return false;
}

std::string interval(const Range& r) {
    if (r.is_point()) return to_string(r.lo->num);
    return fmt::format("[{}, {}]", r.lo ? to_string(r.lo->num) : "-inf", r.hi ? to_string(r.hi->num) : "inf");
}

/// "`H` = 7/2, `W` in [1, 4]": what the engine knows of what it could not resolve.
std::string names_in(const SystemAnswer& answer) {
    std::string names;
    for (const auto& n : answer.unresolved) {
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", n);
        const auto at = answer.ranges.find(n);
        if (at == answer.ranges.end() || *answer.error == ErrorKind::contradictory) continue;
        const Range& r = at->second;
        if (*answer.error == ErrorKind::underdetermined)
            names += " in " + interval(r);
        else if (r.is_point())
            names += fmt::format(" = {}{}", to_string(r.lo->num), r.lo->is_integer() ? "" : "/" + to_string(r.lo->den));
    }
    return names;
}

/// Throws what the engine found wrong with the equalities `group`.
[[noreturn]] void fail_system(const Sizes& s, const SystemAnswer& answer, const std::vector<int>& group) {
    About about;
    std::string relations;
    for (int i : group) {
        const Equality& e = s.equalities[i];
        about.formulas.push_back(e.left);
        about.formulas.push_back(e.right);
        about.formulas.insert(about.formulas.end(), e.from.begin(), e.from.end());
        relations += fmt::format("{}{} == {}", relations.empty() ? "" : " and ", print(s.resolve(e.left)),
                                 print(s.resolve(e.right)));
    }
    const Reason& why = s.equalities[group.front()].why;
    const std::string names = names_in(answer);
    std::string what, fix;
    switch (*answer.error) {
    case ErrorKind::underdetermined:
        what = fmt::format("several sizes will do: {}, from {}", names, relations);
        fix = fmt::format("set it: --set {}=INT", answer.unresolved.front());
        break;
    case ErrorKind::non_integer:
        what = fmt::format("no whole number will do: {}, from {}", names, relations);
        fix = "change a given size to one that divides";
        break;
    case ErrorKind::negative:
        what = fmt::format("no size of at least 1 will do: {}, from {}", names, relations);
        fix = "give larger sizes, or a smaller window, stride or dilation";
        break;
    default:
        what = fmt::format("{} cannot hold: {}", relations, why.text);
        fix = "change one of the given sizes";
        break;
    }
    fail(s, error_at(s.kernel(), *answer.error, std::move(what), why.equation, std::move(fix)), about);
}

/// Equalities over common open sizes.
struct Group {
    std::vector<int> equalities;
    std::set<std::string> symbols;
};

std::vector<Group> groups_of(const Sizes& s) {
    std::vector<Group> groups;
    for (int i = 0; i < static_cast<int>(s.equalities.size()); ++i) {
        if (s.equalities[i].done) continue;
        const Formula difference = s.resolve(s.equalities[i].left) - s.resolve(s.equalities[i].right);
        if (difference.is_constant()) continue;
        Group joined{{i}, difference.symbols()};
        std::erase_if(groups, [&](const Group& g) {
            const bool shares = std::any_of(joined.symbols.begin(), joined.symbols.end(),
                                            [&](const auto& n) { return g.symbols.contains(n); });
            if (!shares) return false;
            joined.equalities.insert(joined.equalities.end(), g.equalities.begin(), g.equalities.end());
            joined.symbols.insert(g.symbols.begin(), g.symbols.end());
            return true;
        });
        std::sort(joined.equalities.begin(), joined.equalities.end());
        groups.push_back(std::move(joined));
    }
    std::erase_if(groups, [&](const Group& g) {  // what a kernel asks for chooses nothing by itself
        return std::all_of(g.equalities.begin(), g.equalities.end(),
                           [&](int i) { return s.equalities[i].why.is_condition; });
    });
    return groups;
}

/// The equalities of a group, and that strides among its sizes are at least 1.
System system_of(const Sizes& s, const Group& group) {
    System system;
    for (const auto& name : s.symbols)
        if (group.symbols.contains(name)) system.add_unknown(name, s.kernel().find_size(name) ? 0 : 1);
    for (int i : group.equalities)
        system.add_equal(s.resolve(s.equalities[i].left), s.resolve(s.equalities[i].right), i);
    for (const Formula& f : s.positive) {
        const Formula r = s.resolve(f);
        if (const auto name = r.as_symbol(); name && group.symbols.contains(*name)) system.add_at_most(1, r, -1);
    }
    return system;
}

/// What the engine says. Accesses that have to fit come in only where the answer without them does not fit: there are many.
SystemAnswer answer_of(const Sizes& s, const Group& group, const std::vector<std::string>& choose) {
    System system = system_of(s, group);
    SystemAnswer answer = system.solve({}, choose);
    for (const Constraint& c : s.constraints) {
        if (c.satisfied) continue;
        const Formula slack = s.resolve(c.slack);
        const auto names = slack.symbols();
        if (names.empty() ||
            !std::all_of(names.begin(), names.end(), [&](const auto& n) { return group.symbols.contains(n); }))
            continue;
        Bindings values;
        for (const auto& n : names) {
            if (answer.values.contains(n)) values.emplace(n, narrow(answer.values.at(n)));
        }
        if (values.size() == names.size() && evaluate(slack, values) >= 0) continue;
        system.add_at_most(0, slack, -1);
        answer = system.solve({}, choose);
    }
    return answer;
}

/// True when something was solved.
bool solve_group(Sizes& s, const Group& group) {
    std::vector<std::string> choose;
    for (const auto& name : s.symbols)
        if (group.symbols.contains(name) && is_chosen(s, name)) choose.push_back(name);
    const SystemAnswer answer = answer_of(s, group, choose);
    if (answer.error && *answer.error != ErrorKind::underdetermined) fail_system(s, answer, group.equalities);
    const auto is_window = [&](const auto& range) {
        return std::find(choose.begin(), choose.end(), range.first) == choose.end() && !range.second.is_point();
    };
    const bool windows_left = std::any_of(answer.ranges.begin(), answer.ranges.end(), is_window);
    bool solved = false;
    const Equality& first = s.equalities[group.equalities.front()];
    for (const auto& [name, value] : answer.values) {
        // A size chosen least beside open windows is a formula of them, not a number; and it does not choose them.
        if (windows_left && !answer.ranges.at(name).is_point()) continue;
        derive(s, name, Derivation::How::least, first.why.equation, {first.left, first.right}, "");
        substitute(s, name, narrow_extent(value));
        solved = true;
    }
    if (solved || !windows_left) return solved;
    const auto& ids = group.equalities;
    if (std::any_of(ids.begin(), ids.end(), [&](int i) { return invert(s, s.equalities[i]); })) return true;
    const bool given = std::any_of(ids.begin(), ids.end(), [&](int i) { return s.equalities[i].given; });
    if (given && answer.error) fail_system(s, answer, ids);
    return false;
}

/// A size left open (`--set D=?`) is not given.
bool is_given(const Settings& known, const std::string& name) {
    const auto at = known.find(name);
    return at != known.end() && at->second.has_value();
}

bool is_output_given(const Sizes& s, const Settings& known) {
    const auto outputs = s.kernel().outputs();
    return std::any_of(outputs.begin(), outputs.end(), [&](const Tensor* t) {
        for (int d = 0; d < t->rank; ++d) {
            const auto& name = s.model->dims.at(t->name)[d].name;
            if (is_given(known, KernelModel::dim_name(t->name, d)) || (name && is_given(known, *name))) return true;
        }
        return false;
    });
}

/// The least value with which all accesses fit, where they alone bound it; nothing where something else does.
std::optional<Formula> least_that_fits(const Sizes& s, const std::string& symbol) {
    std::optional<Formula> least;
    std::vector<Formula> positive;
    for (const Constraint& c : s.constraints) {
        const Formula slack = s.resolve(c.slack);
        if (c.satisfied || !mentions(slack, symbol)) continue;
        const auto bound = least_with_nonnegative(slack, symbol, positive);
        if (!bound || !bound->is_constant()) return std::nullopt;
        least = least ? larger(*least, *bound) : *bound;
    }
    return least;
}

/// With an output's size given, an input read at compound places alone is as small as its accesses let it be; one that was left open
/// stays so.
void fit_inputs(Sizes& s, const Settings& known) {
    std::set<std::string> open;
    for (const auto& [name, value] : known)
        if (!value && s.classes.has(name)) open.insert(s.classes.root(name));
    for (const auto& symbol : std::vector(s.symbols)) {
        if (!is_chosen(s, symbol) || open.contains(symbol)) continue;
        if (const auto least = least_that_fits(s, symbol)) substitute(s, symbol, larger(*least, 1));
    }
}

}  // namespace

Sizes&& solve_backward(Sizes&& s, const Settings& known) {
    if (std::none_of(known.begin(), known.end(), [](const auto& setting) { return setting.second.has_value(); }))
        return std::move(s);
    for (bool progress = true; progress;) {
        progress = false;
        for (const Group& group : groups_of(s))
            if (solve_group(s, group)) progress = true;
    }
    if (is_output_given(s, known)) fit_inputs(s, known);
    return std::move(s);
}

}  // namespace halogen
