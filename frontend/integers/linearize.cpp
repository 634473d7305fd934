#include "frontend/integers/linearize.h"

#include <algorithm>

namespace halogen {

namespace {

const Range at_least_zero{Rational(0), std::nullopt};
const Range zero{Rational(0), Rational(0)};

}  // namespace

int Linearizer::unknown(const std::string& name) {
    const auto [at, is_new] = names_.emplace(name, count_);
    if (is_new) ++count_;
    return at->second;
}

/// a = b*q + r with 0 <= r <= b - 1.
std::pair<int, int> Linearizer::quotient(const Formula& a, const Formula& b) {
    if (const auto at = quotients_.find({a, b}); at != quotients_.end()) return at->second;
    const Poly top = poly(a), bottom = poly(b);
    const int q = count_++, r = count_++;
    quotients_.emplace(std::pair(a, b), std::pair(q, r));
    facts.push_back({top - bottom * Poly::unknown(q) - Poly::unknown(r), zero});
    facts.push_back({Poly::unknown(r), at_least_zero});
    facts.push_back({bottom - Poly::number(1) - Poly::unknown(r), at_least_zero});
    return {q, r};
}

int Linearizer::extreme(const Formula::Atom& atom) {
    const bool is_max = atom.kind == Formula::Atom::Kind::max;
    auto& made = is_max ? maxima_ : minima_;
    if (const auto at = made.find({atom.a, atom.b}); at != made.end()) return at->second;
    const Poly a = poly(atom.a), b = poly(atom.b);
    const int m = count_++;
    made.emplace(std::pair(atom.a, atom.b), m);
    const Poly over_a = Poly::unknown(m) - a, over_b = Poly::unknown(m) - b;
    const Wide sign = is_max ? 1 : -1;
    facts.push_back({sign * over_a, at_least_zero});
    facts.push_back({sign * over_b, at_least_zero});
    choices.push_back({{{over_a, zero}}, {{over_b, zero}}});
    return m;
}

int Linearizer::atom(const Formula::AtomRef& atom) {
    switch (atom->kind) {
    case Formula::Atom::Kind::symbol: return unknown(atom->name);
    case Formula::Atom::Kind::floor_div: return quotient(atom->a, atom->b).first;
    case Formula::Atom::Kind::remainder: return quotient(atom->a, atom->b).second;
    default: return extreme(*atom);
    }
}

Poly Linearizer::poly(const Formula& f) {
    Poly sum;
    for (const auto& [m, c] : f.terms()) {
        if (m.empty()) {
            sum.constant = c;
            continue;
        }
        Product product;
        for (const auto& a : m) product.push_back(atom(a));
        std::sort(product.begin(), product.end());
        sum.terms.emplace_back(std::move(product), c);
    }
    // Two terms never have one product: equal atoms are one unknown, and different atoms are different ones.
    std::sort(sum.terms.begin(), sum.terms.end());
    return sum;
}

RowFacts Linearizer::alternative(const std::vector<Fact>& list) {
    const auto quotients = quotients_;
    const auto minima = minima_, maxima = maxima_;
    const std::size_t before = facts.size();
    RowFacts rows;
    for (const Fact& f : list) rows.push_back(row(f));
    rows.insert(rows.begin(), facts.begin() + static_cast<std::ptrdiff_t>(before), facts.end());
    facts.resize(before);
    quotients_ = quotients;
    minima_ = minima;
    maxima_ = maxima;
    return rows;
}

RowFact Linearizer::row(const Fact& fact) {
    return {poly(fact.right - fact.left), fact.relation == Relation::equal ? zero : at_least_zero};
}

}  // namespace halogen
