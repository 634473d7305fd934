#include "frontend/solve/guard_list.h"

#include "frontend/base/checked.h"

#include <algorithm>

namespace halogen {

namespace {

/// floor(a/b) + k >= 0 says the same as a + k*b >= 0; factors common to all terms do not matter.
Formula simplified_slack(Formula slack) {
    for (;;) {
        Formula::AtomRef quotient;
        Formula rest;
        int count = 0;
        for (const auto& [m, c] : slack.terms()) {
            if (m.size() == 1 && c == 1 && m[0]->kind == Formula::Atom::Kind::floor_div) {
                quotient = m[0];
                ++count;
            }
        }
        if (count != 1) break;
        slack = quotient->a + quotient->b * (slack - Formula(quotient));
    }
    Wide g = 0;
    for (const auto& [m, c] : slack.terms()) {
        if (!m.empty()) g = gcd(g, c);
    }
    return g > 1 ? floor_div(slack, Formula(static_cast<std::int64_t>(g))) : slack;
}

}  // namespace

bool is_over_fewer(const Guard& a, const Guard& b) {
    return std::all_of(a.over.begin(), a.over.end(), [&](const Formula& extent) {
        return std::find(b.over.begin(), b.over.end(), extent) != b.over.end();
    });
}

GuardList::GuardList(std::vector<Guard> guards) : guards_(std::move(guards)) {
    for (std::size_t i = 0; i < guards_.size(); ++i) with_[{guards_[i].left, guards_[i].right}].push_back(i);
}

void GuardList::add(Guard g) {
    auto& same_sides = with_[{g.left, g.right}];
    for (const std::size_t at : same_sides) {
        Guard& other = guards_[at];
        if (other.relation != g.relation) continue;
        if (is_over_fewer(other, g)) return;
        if (is_over_fewer(g, other)) {
            other.over = std::move(g.over);
            return;
        }
    }
    same_sides.push_back(guards_.size());
    guards_.push_back(std::move(g));
}

void GuardList::add_nonnegative(const Formula& slack, const Reason& why, const std::vector<Formula>& over,
                                const LowerBounds& bounds) {
    const Formula whole = simplified_slack(slack);
    if (is_nonnegative(whole, bounds)) return;
    if (std::find(over.begin(), over.end(), Formula(0)) != over.end()) return;
    if (std::find(over.begin(), over.end(), whole + Formula(1)) != over.end()) return;  // 1 <= N, or N is 0
    Formula left, right;
    for (const auto& [m, c] : whole.terms()) {
        Formula term = c < 0 ? -Formula(c) : Formula(c);
        for (const auto& atom : m) term = term * Formula(atom);
        // D of D*R - D stays beside its product: D*(R - 1) reads as the reach of a window.
        const bool beside =
            c > 0 && !m.empty() && std::any_of(whole.terms().begin(), whole.terms().end(), [&m = m](const auto& t) {
                return t.second < 0 && t.first.size() > m.size() &&
                       std::includes(t.first.begin(), t.first.end(), m.begin(), m.end(), Formula::AtomLess{});
            });
        if (beside)
            left = left - term;
        else
            (c < 0 ? left : right) = (c < 0 ? left : right) + term;
    }
    add({left, Relation::at_most, right, why.equation, why.tensor, why.dim, why.index, why.text, over,
         why.is_condition});
}

void GuardList::add_equal(const Formula& a, const Formula& b, const Reason& why) {
    add({a, Relation::equal, b, why.equation, why.tensor, why.dim, why.index, why.text, {}, why.is_condition});
}

}  // namespace halogen
