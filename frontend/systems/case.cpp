// What a case says of its sizes, and what its solution says of its tensors.

#include "frontend/systems/case.h"

#include "frontend/solve/access_form.h"
#include "frontend/solve/nearest.h"
#include "frontend/systems/expr.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// The element address of each tensor over the loops' index values.
void add_access(const SystemCase& c, const Bindings& sizes, CaseAnswer& answer) {
    std::map<std::string, Formula> numbers;
    for (const auto& [name, value] : sizes) numbers.emplace(name, Formula(value));
    std::map<std::string, const Formula*> expressions;
    std::set<std::string> several;
    std::map<std::string, std::set<std::string>> named;
    for (const auto& r : c.relations) {
        for (std::size_t i = 0; i < r.axes.size(); ++i) {
            if (r.fit == SystemCase::Fit::data || !expressions.emplace(r.axes[i], &r.expressions[i]).second)
                several.insert(r.axes[i]);
            named.emplace(r.axes[i], r.indices[i]);
        }
    }
    for (const auto& [tensor, axes] : c.tensors) {
        std::vector<std::optional<Formula>> places;
        std::vector<Formula> extents;
        std::set<std::string> indices, all_indices;
        for (const auto& axis : axes) {
            const auto at = expressions.find(axis);
            const Formula place = at == expressions.end() ? Formula::symbol(index_symbol(axis)) : *at->second;
            places.push_back(several.contains(axis)
                                 ? std::nullopt
                                 : std::optional(place.substitute(numbers) - Formula(c.min_of(axis))));
            extents.push_back(sizes.at(axis));
            for (const auto& i : indices_in(place)) indices.insert(index_symbol(i));
            if (at != expressions.end())
                all_indices.insert(named.at(axis).begin(), named.at(axis).end());
            else
                all_indices.insert(axis);
        }
        AccessForm form = access_form(places, extents, {indices.begin(), indices.end()});
        if (!form.affine) continue;
        std::map<std::string, Formula> strides;
        for (const auto& i : all_indices) strides.emplace(i, form.strides[index_symbol(i)]);
        form.strides = std::move(strides);
        answer.access.emplace(tensor, std::move(form));
    }
}

}  // namespace

std::int64_t SystemCase::min_of(const std::string& axis) const {
    const auto at = mins.find(axis);
    return at == mins.end() ? 0 : at->second;
}

std::vector<std::string> SystemCase::axes() const {
    std::vector<std::string> names;
    std::set<std::string> seen(params.begin(), params.end());
    const auto take = [&](const std::string& axis) {
        if (seen.insert(axis).second) names.push_back(axis);
    };
    const auto take_all = [&](const Formula& f) {
        for (const auto& s : f.symbols()) take(s[0] == '#' ? s.substr(1) : s);
    };
    for (const auto& [tensor, list] : tensors) {
        for (const auto& axis : list) take(axis);
    }
    for (const auto& r : relations) {
        for (const auto& axis : r.axes) take(axis);
        if (r.fit == SystemCase::Fit::data) continue;
        for (const auto& f : r.expressions) take_all(f);
        for (const auto& list : r.indices) {
            for (const auto& i : list) take(i);
        }
        take_all(r.pad_low);
        take_all(r.pad_high);
    }
    for (const auto& s : sizes) {
        take_all(s.left);
        take_all(s.right);
    }
    return names;
}

std::vector<std::string> SystemCase::loops() const {
    std::set<std::string> defined;
    for (const auto& r : relations) defined.insert(r.axes.begin(), r.axes.end());
    std::vector<std::string> names;
    for (const auto& axis : axes()) {
        // A size that only size relations speak of has no index.
        const bool in_tensor = std::any_of(tensors.begin(), tensors.end(), [&](const auto& t) {
            return std::find(t.second.begin(), t.second.end(), axis) != t.second.end();
        });
        const bool in_relation = std::any_of(relations.begin(), relations.end(), [&](const Relation& r) {
            return std::any_of(r.indices.begin(), r.indices.end(),
                               [&](const auto& list) { return list.contains(axis); });
        });
        if (!defined.contains(axis) && (in_tensor || in_relation)) names.push_back(axis);
    }
    return names;
}

std::string source_text(const SystemCase& c, int source) {
    const int relations = static_cast<int>(c.relations.size()), sizes = static_cast<int>(c.sizes.size());
    if (source < relations) return c.relations[source].text;
    if (source < relations + sizes) return c.sizes[source - relations].text;
    return "|" + c.maximal[source - relations - sizes] + "| is maximal";
}

namespace {

std::string describe(const Range& r) {
    const auto number = [](const Rational& v) {
        return v.is_integer() ? to_string(v.num) : to_string(v.num) + "/" + to_string(v.den);
    };
    if (r.is_point()) return number(*r.lo);
    return fmt::format("[{}, {}]", r.lo ? number(*r.lo) : "-inf", r.hi ? number(*r.hi) : "inf");
}

/// "15 gives |y| = 7, 17 gives |y| = 8": what the unresolved sizes become with a number that fits.
std::string proposal(const SystemCase& c, const System& system, const SystemAnswer& a, const Nearest& n) {
    std::string text;
    for (const auto& value : {n.below, n.above}) {
        if (!value) continue;
        Bindings changed = c.known;
        changed[n.name] = *value;
        std::string gives;
        for (const auto& [name, range] : system.ranges(changed)) {
            const bool asked = std::find(a.unresolved.begin(), a.unresolved.end(), name) != a.unresolved.end();
            if (asked && gives.size() < 60)
                gives += fmt::format("{}|{}| {} {}", gives.empty() ? " gives " : ", ", name,
                                     range.is_point() ? "=" : "in", describe(range));
        }
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", *value, gives.empty() ? " fits" : gives);
    }
    return fmt::format("|{}| = {} does not fit: {}", n.name, n.given, text);
}

/// What would fit, nearest first, one line each.
std::string proposals(const SystemCase& c, const System& system, const SystemAnswer& a) {
    auto all = nearest_numbers(system, c.known);
    const auto distance = [](const Nearest& n) {
        return std::min(n.below ? n.given - *n.below : INT64_MAX, n.above ? *n.above - n.given : INT64_MAX);
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return distance(x) < distance(y); });
    std::string lines;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i)
        lines += "\n  near " + proposal(c, system, a, all[i]);
    return lines;
}

std::string message_of(const SystemCase& c, const System& system, const SystemAnswer& a) {
    std::string names;
    for (const auto& n : a.unresolved) {
        const auto at = a.ranges.find(n);
        names += fmt::format("{}|{}| in {}", names.empty() ? "" : ", ", n,
                             at == a.ranges.end() ? "?" : describe(at->second));
    }
    if (*a.error == ErrorKind::underdetermined) return "several values remain: " + names;
    const bool clash = *a.error == ErrorKind::contradictory;
    std::string facts, relations;
    for (const auto& n : a.conflict) facts += fmt::format("{}|{}| = {}", facts.empty() ? "" : ", ", n, c.known.at(n));
    for (int s : clash ? a.sources : system.clashing_sources(c.known))
        relations += fmt::format("{}`{}`", relations.empty() ? "" : ", ", source_text(c, s));
    if (relations.empty()) relations = "the system";
    std::string text;
    if (clash)
        text = fmt::format("{} cannot hold with {}", facts.empty() ? "the relations" : facts, relations);
    else if (*a.error == ErrorKind::non_integer)
        text = fmt::format("no solution of {} in whole numbers; over the rationals: {}", relations, names);
    else
        text = fmt::format("no solution of {} with every size at least 1; without that: {}", relations, names);
    return text + proposals(c, system, a);
}

/// The message, or less of it where a cap is reached on the way.
std::string explanation(const SystemCase& c, const System& system, const SystemAnswer& a) {
    try {
        return message_of(c, system, a);
    } catch (const Failure& failure) {
        return "no solution; why is not known: " + failure.error().what;
    }
}

}  // namespace

CaseAnswer solve_case(const SystemCase& c) {
    CaseAnswer answer;
    answer.key = canonical_key(c);
    const System system = system_of(c);
    answer.system = system.solve(c.known, c.choose);
    if (answer.system.error) {
        answer.message = explanation(c, system, answer.system);
        return answer;
    }
    Bindings sizes;
    for (const auto& [name, value] : answer.system.values) sizes.emplace(name, narrow_extent(value));
    add_access(c, sizes, answer);
    if (!c.block.empty()) project_block(c, sizes, answer);
    answer.points = count_points(c, sizes);
    return answer;
}

}  // namespace halogen
