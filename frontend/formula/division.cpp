// Long division over the leading monomials, as for polynomials in one unknown.

#include "frontend/formula/division.h"

#include "frontend/base/checked.h"

#include <algorithm>

namespace halogen {

namespace {

using Monomial = Formula::Monomial;

/// a / b where `a` holds `b`.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
    if (b.empty()) return a;
    if (!holds(a, b)) return std::nullopt;
    Monomial::Atoms r;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r), Formula::AtomLess{});
    return r;
}

/// The leading term by degree, then by atoms: an order that products keep, as long division needs.
const std::pair<Monomial, std::int64_t>& leading_term(const Formula& f) {
    auto best = f.terms().begin();
    for (auto at = f.terms().begin(); at != f.terms().end(); ++at) {
        if (at->first.size() >= best->first.size()) best = at;
    }
    return *best;
}

}  // namespace

bool holds(const Monomial& a, const Monomial& b) {
    return std::includes(a.begin(), a.end(), b.begin(), b.end(), Formula::AtomLess{});
}

std::optional<Formula> divide_exactly(const Formula& a, const Formula& b) {
    if (b.terms().empty()) return std::nullopt;
    const auto& lead = leading_term(b);
    Formula quotient, left = a;
    for (std::size_t steps = 4 * (a.terms().size() + b.terms().size()); !left.terms().empty(); --steps) {
        const auto top = leading_term(left);
        const auto m = divide(top.first, lead.first);
        if (!m || top.second % lead.second != 0 || steps == 0) return std::nullopt;
        const Formula part = Formula::term(*m, top.second / lead.second);
        quotient = quotient + part;
        left = left - part * b;
    }
    return quotient;
}

std::pair<Formula, Formula> split_by_term(const Formula& a, const Monomial& atoms, std::int64_t factor) {
    Formula quotient, rest;
    for (const auto& [m, coefficient] : a.terms()) {
        const auto left = divide(m, atoms);
        if (!left) {
            rest = rest + Formula::term(m, coefficient);
            continue;
        }
        // A constant leaves a rest in [0, factor); other terms keep their sign: (H - R)/2 stays as written.
        const std::int64_t q =
            m.empty() ? static_cast<std::int64_t>(floor_div(Wide{coefficient}, Wide{factor})) : coefficient / factor;
        if (q != 0) quotient = quotient + Formula::term(*left, q);
        const Wide remaining = subtract(Wide{coefficient}, multiply(q, factor));
        if (remaining != 0) rest = rest + Formula::term(m, narrow(remaining));
    }
    return {quotient, rest};
}

std::pair<Monomial, std::int64_t> common_term(const Formula& a, const Formula& b) {
    Monomial m;
    Wide g = 0;
    bool first = true;
    for (const auto* f : {&b, &a}) {
        for (const auto& [n, coefficient] : f->terms()) {
            g = gcd(g, coefficient);
            if (first) {
                m = n;
                first = false;
                continue;
            }
            Monomial::Atoms both;
            std::set_intersection(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(both),
                                  Formula::AtomLess{});
            m = std::move(both);
        }
    }
    return {m, static_cast<std::int64_t>(g)};
}

Formula rejoined(const Formula& f) {
    for (const auto& [m, coefficient] : f.terms()) {
        for (const auto& atom : m) {
            if (atom->kind != Formula::Atom::Kind::remainder) continue;
            const Formula factor = Formula::term(*divide(m, Monomial({atom})), coefficient);
            const Formula multiple = factor * atom->b * floor_div(atom->a, atom->b);
            const Formula others = f - multiple;
            if (others.terms().size() + multiple.terms().size() != f.terms().size()) continue;  // `f` does not hold it
            return rejoined(others - Formula::term(m, coefficient) + factor * atom->a);
        }
    }
    return f;
}

}  // namespace halogen
