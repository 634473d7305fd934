#include "frontend/solve/nearest.h"

#include "frontend/base/checked.h"
#include "frontend/notation/symbol.h"
#include "frontend/solve/passes.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

constexpr std::size_t most_names = 12;  // of numbers that are tried: each takes a few solutions
constexpr std::size_t most_lines = 4;
constexpr std::int64_t most_probes = 4;

/// The end of `name`'s range that lies next to a bound put on it; nothing when there is none, or too much to find.
std::optional<std::int64_t> end_beside(System system, const Bindings& known, const std::string& name,
                                       std::int64_t bound, bool below) {
    if (below)
        system.add_at_most(Formula::symbol(name), bound, -1);
    else
        system.add_at_most(bound, Formula::symbol(name), -1);
    try {
        const auto ranges = system.ranges(known);
        const auto at = ranges.find(name);
        if (at == ranges.end()) return std::nullopt;
        const auto& end = below ? at->second.hi : at->second.lo;
        return end && end->is_integer() ? std::optional(narrow_extent(end->num)) : std::nullopt;
    } catch (const Failure&) {
        return std::nullopt;
    }
}

Nearest nearest_of(const System& system, const Bindings& others, const std::string& name, std::int64_t given) {
    return {name, given, end_beside(system, others, name, given - 1, true),
            end_beside(system, others, name, given + 1, false)};
}

/// What was asked: a kernel with sizes that are known or equal.
struct Question {
    const Kernel& kernel;
    const Settings& known;
    const std::vector<SizeEquality>& equal;

    /// The solution when `name` has another value, or is open.
    std::optional<Solution> with(const std::string& name, std::optional<std::int64_t> value) const {
        Settings changed = known;
        changed[name] = value;
        try {
            return solve_sizes(kernel, changed, equal);
        } catch (const Failure&) {
            return std::nullopt;
        }
    }
};

/// The guards of a solution as a system over the sizes it leaves open.
System system_of(const Kernel& kernel, const Solution& s) {
    System system;
    for (const auto& name : s.symbols) system.add_unknown(name, kernel.find_size(name) ? 0 : 1);
    int quotients = 0;
    for (const Guard& g : s.guards) {
        for (const auto* side : {&g.left, &g.right}) {
            side->for_each_symbol([&](const std::string& name) { system.add_unknown(name, 1); });
        }
        if (g.relation == Relation::equal) {
            system.add_equal(g.left, g.right, -1);
        } else if (g.relation == Relation::at_most) {
            system.add_at_most(g.left, g.right, -1);
        } else {
            const std::string quotient = fmt::format("{}@quotient", quotients++);
            system.add_unknown(quotient, 0);
            system.add_equal(g.left * Formula::symbol(quotient), g.right, -1);
        }
    }
    return system;
}

/// The value of what a setting names: a size, or "X.1" of a tensor with declared dims.
Formula size_in(const Solution& s, const std::string& name) {
    if (const auto at = s.sizes.find(name); at != s.sizes.end()) return at->second;
    const Symbol symbol = Symbol::of(name);
    const auto tensor = s.extents.find(symbol.name);
    if (!symbol.is_dim() || tensor == s.extents.end()) return Formula::symbol(name);
    return tensor->second.at(symbol.number);
}

/// What a size becomes when it is left open: one value, or the nearest that the guards admit.
Nearest candidates(const Question& asked, const std::string& name) {
    Nearest nearest{name, *asked.known.at(name), {}, {}};
    const auto s = asked.with(name, std::nullopt);
    if (!s) return nearest;
    const Formula value = size_in(*s, name);
    if (const auto number = value.constant()) {
        if (*number != nearest.given) (*number < nearest.given ? nearest.below : nearest.above) = number;
        return nearest;
    }
    // `name` follows from sizes left open: which values can it have?
    System system = system_of(asked.kernel, *s);
    if (value.as_symbol() == name) return nearest_of(system, {}, name, nearest.given);
    const std::string wanted = name + "@wanted";
    system.add_unknown(wanted, 0);
    system.add_equal(Formula::symbol(wanted), value, -1);
    nearest = nearest_of(system, {}, wanted, nearest.given);
    nearest.name = name;
    return nearest;
}

/// Where the exact question is too hard: the values nearby, tried one by one.
void probe(const Question& asked, Nearest& nearest) {
    const auto fits = [&](std::int64_t value) { return asked.with(nearest.name, value).has_value(); };
    for (std::int64_t step = 1; step <= most_probes && !nearest.below && !nearest.above; ++step) {
        if (nearest.given >= step && fits(nearest.given - step)) nearest.below = nearest.given - step;
        if (nearest.given <= largest_extent - step && fits(nearest.given + step)) nearest.above = nearest.given + step;
    }
}

/// "N = 3": the first size that both solutions find and that differs, else the first that is found at all.
std::string consequence(const Kernel& kernel, const Settings& known, const Solution& s, const Solution* other) {
    std::string first;
    for (const auto& [name, value] : s.sizes) {
        const auto given = known.find(name);
        const auto* parameter = kernel.find_size(name);
        if (!value.is_constant() || (given != known.end() && given->second) || (parameter && parameter->default_value))
            continue;
        const std::string text = fmt::format("{} = {}", name, print(value));
        if (!other) return text;
        const auto at = other->sizes.find(name);
        if (at != other->sizes.end() && !(at->second == value)) return text;
        if (first.empty()) first = text;
    }
    return first;
}

std::string clause_of(const Question& asked, const Nearest& nearest) {
    const auto solve_with = [&](const std::optional<std::int64_t>& value) {
        return value && *value >= 0 ? asked.with(nearest.name, value) : std::nullopt;
    };
    const auto low = solve_with(nearest.below), high = solve_with(nearest.above);
    const auto one = [&](const Solution& s, std::int64_t value, const std::optional<Solution>& other) {
        const std::string gives = consequence(asked.kernel, asked.known, s, other ? &*other : nullptr);
        return fmt::format("{} = {}{}{}", nearest.name, value, gives.empty() ? "" : " gives ", gives);
    };
    std::string text;
    if (low) text = one(*low, *nearest.below, high);
    if (high) text += (text.empty() ? "" : ", ") + one(*high, *nearest.above, low);
    return text;
}

}  // namespace

std::vector<Nearest> nearest_numbers(const System& system, const Bindings& known) {
    std::vector<Nearest> all;
    if (known.size() > most_names) return all;
    for (const auto& [name, value] : known) {
        Bindings others = known;
        others.erase(name);
        Nearest n = nearest_of(system, others, name, value);
        if (n.below || n.above) all.push_back(std::move(n));
    }
    return all;
}

std::vector<std::string> nearest_sizes(const Kernel& kernel, const Settings& known,
                                       const std::vector<SizeEquality>& equal) {
    const Question asked{kernel, known, equal};
    std::vector<Nearest> all;
    if (known.size() > most_names) return {};
    for (const auto& [name, value] : known) {
        if (!value || *value < 0) continue;
        Nearest n = candidates(asked, name);
        if (!n.below && !n.above) probe(asked, n);
        if (n.below || n.above) all.push_back(std::move(n));
    }
    const auto distance = [](const Nearest& n) {
        const std::int64_t below = n.below ? n.given - *n.below : INT64_MAX,
                           above = n.above ? *n.above - n.given : INT64_MAX;
        return std::min(below, above);
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    std::vector<std::string> clauses;
    for (const Nearest& n : all) {
        std::string clause = clause_of(asked, n);
        if (!clause.empty() && clauses.size() < most_lines) clauses.push_back(std::move(clause));
    }
    return clauses;
}

}  // namespace halogen
