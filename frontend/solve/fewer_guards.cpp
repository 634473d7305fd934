#include "frontend/solve/fewer_guards.h"

#include "frontend/integers/system.h"
#include "frontend/solve/guard_list.h"

#include <algorithm>
#include <map>
#include <set>

namespace halogen {

namespace {

bool is_linear(const Formula& f) {
    return std::all_of(f.terms().begin(), f.terms().end(), [](const auto& t) {
        return t.first.empty() || (t.first.size() == 1 && t.first[0]->kind == Formula::Atom::Kind::symbol);
    });
}

/// A guard that the exact engine takes.
bool is_usable(const Guard& g) { return g.relation != Relation::divides && is_linear(g.left) && is_linear(g.right); }

void add_to(System& system, const Guard& g) {
    for (const auto& n : (g.left - g.right).symbols()) system.add_unknown(n, 0);
    if (g.relation == Relation::equal)
        system.add_equal(g.left, g.right, -1);
    else
        system.add_at_most(g.left, g.right, -1);
}

constexpr std::size_t most_guards = 24;  // that are looked at together

/// A guard need not say "or where the extent is 0" of an extent that the unconditional guards keep above 0.
void drop_extents_never_0(std::vector<Guard>& guards) {
    System always;
    std::set<std::string> bounded;
    for (const Guard& g : guards) {
        if (!g.over.empty() || !is_usable(g)) continue;
        add_to(always, g);
        bounded.merge((g.left - g.right).symbols());
    }
    for (Guard& g : guards) {
        std::erase_if(g.over, [&](const Formula& extent) {
            const auto names = extent.symbols();
            if (!is_linear(extent) ||
                std::none_of(names.begin(), names.end(), [&](const auto& n) { return bounded.contains(n); }))
                return false;
            System zero = always;
            add_to(zero, {extent, Relation::equal, 0});
            return !zero.has_solution();
        });
    }
}

/// Of guards that differ by a constant the strongest stays, of equal ones the last: 3 <= N and 5 <= N.
void drop_weaker_guards(std::vector<Guard>& guards) {
    struct Kept {
        std::size_t at;
        std::int64_t constant;
    };
    std::map<Formula, std::vector<Kept>> kept;  // by what they have in common
    std::vector<bool> dropped(guards.size());
    for (std::size_t i = guards.size(); i-- > 0;) {
        const Guard& g = guards[i];
        if (g.relation != Relation::at_most) continue;
        const Formula slack = g.right - g.left;
        const auto& terms = slack.terms();
        const std::int64_t constant = !terms.empty() && terms.front().first.empty() ? terms.front().second : 0;
        auto& alike = kept[slack - Formula(constant)];
        const auto implies = [&](std::size_t a, std::int64_t of_a, std::size_t b, std::int64_t of_b) {
            return of_a <= of_b && is_over_fewer(guards[a], guards[b]);
        };
        dropped[i] = std::any_of(alike.begin(), alike.end(),
                                 [&](const Kept& k) { return implies(k.at, k.constant, i, constant); });
        if (dropped[i]) continue;
        std::erase_if(alike, [&](const Kept& k) {
            const bool weaker = implies(i, constant, k.at, k.constant);
            dropped[k.at] = dropped[k.at] || weaker;
            return weaker;
        });
        alike.push_back({i, constant});
    }
    std::size_t next = 0;
    std::erase_if(guards, [&](const Guard&) { return dropped[next++]; });
}

}  // namespace

std::vector<Guard> fewer_guards(std::vector<Guard> guards) {
    drop_weaker_guards(guards);
    if (guards.size() > most_guards) return guards;
    drop_extents_never_0(guards);
    const auto shares = [](const Guard& a, const Guard& b) {
        const auto x = (a.left - a.right).symbols(), y = (b.left - b.right).symbols();
        return std::any_of(x.begin(), x.end(), [&](const auto& n) { return y.contains(n); });
    };
    for (std::size_t i = guards.size(); i-- > 0;) {
        const Guard g = guards[i];
        if (g.relation != Relation::at_most || !is_usable(g)) continue;
        System system;
        bool alone = true;
        for (std::size_t j = 0; j < guards.size(); ++j) {
            const Guard& other = guards[j];
            if (j == i || !is_usable(other) || !is_over_fewer(other, g)) continue;
            alone = alone && !shares(g, other);
            add_to(system, other);
        }
        if (alone) continue;
        add_to(system, {g.right + Formula(1), Relation::at_most, g.left});
        if (!system.has_solution()) guards.erase(guards.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return guards;
}

}  // namespace halogen
