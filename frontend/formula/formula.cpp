// Polynomials: sums and products of formulas. Invariants: no zero coefficient is kept; the atoms of a monomial are sorted.

#include "frontend/formula/formula.h"

#include "frontend/base/checked.h"

#include <algorithm>

namespace halogen {

namespace {

using Atom = Formula::Atom;
using AtomRef = Formula::AtomRef;
using Monomial = Formula::Monomial;
using Terms = Formula::Terms;

int compare(const Formula& a, const Formula& b);

int compare(const AtomRef& a, const AtomRef& b) {
    if (a == b) return 0;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->kind == Atom::Kind::symbol) {
        if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
        return a->name.compare(b->name);
    }
    if (const int c = compare(a->a, b->a)) return c;
    return compare(a->b, b->b);
}

int compare(const Monomial& a, const Monomial& b) {
    if (a.is_same_object(b)) return 0;
    const std::size_t n = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (const int c = compare(a[i], b[i])) return c;
    }
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

int compare(const Formula& a, const Formula& b) {
    if (&a.terms() == &b.terms()) return 0;
    auto i = a.terms().begin(), j = b.terms().begin();
    for (; i != a.terms().end() && j != b.terms().end(); ++i, ++j) {
        if (const int c = compare(i->first, j->first)) return c;
        if (i->second != j->second) return i->second < j->second ? -1 : 1;
    }
    if (i != a.terms().end()) return 1;
    return j == b.terms().end() ? 0 : -1;
}

bool atom_less(const AtomRef& a, const AtomRef& b) { return compare(a, b) < 0; }

}  // namespace

bool Formula::AtomLess::operator()(const AtomRef& a, const AtomRef& b) const { return compare(a, b) < 0; }

bool Formula::MonomialLess::operator()(const Monomial& a, const Monomial& b) const { return compare(a, b) < 0; }

const Terms& Formula::no_terms() {
    static const Terms none{};
    return none;
}

Formula Formula::term(Monomial atoms, std::int64_t factor) {
    if (factor == 0) return {};
    auto one = std::make_shared<Terms>();
    one->emplace_back(std::move(atoms), factor);
    return from_sorted(std::move(one));
}

Formula::Formula(std::int64_t value) {
    // What most formulas are made with is made once.
    static const Formula one = term({}, 1), minus_one = term({}, -1), two = term({}, 2);
    *this = value == 1 ? one : value == -1 ? minus_one : value == 2 ? two : term({}, value);
}

Formula::Formula(AtomRef atom) : Formula(term(Monomial({std::move(atom)}), 1)) {}

Formula Formula::symbol(std::string name) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < 8; ++i)
        begin = begin << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0);
    const auto atom = std::make_shared<Atom>();
    atom->kind = Atom::Kind::symbol;
    atom->begin = begin;
    atom->hash = std::hash<std::string>()(name);
    atom->name = std::move(name);
    return Formula(AtomRef(atom));
}

bool Formula::is_constant() const { return !terms_ || (terms_->size() == 1 && terms_->front().first.empty()); }

std::optional<std::int64_t> Formula::constant() const {
    if (!is_constant()) return std::nullopt;
    return terms_ ? terms_->front().second : 0;
}

const Formula::Atom* Formula::as_atom() const {
    if (!terms_ || terms_->size() != 1 || terms_->front().second != 1) return nullptr;
    const auto& m = terms_->front().first;
    return m.size() == 1 ? &*m[0] : nullptr;
}

std::optional<std::string> Formula::as_symbol() const {
    const Atom* atom = as_atom();
    return atom && atom->kind == Atom::Kind::symbol ? std::optional(atom->name) : std::nullopt;
}

bool Formula::is_symbol(const std::string& name) const {
    const Atom* atom = as_atom();
    return atom && atom->kind == Atom::Kind::symbol && atom->name == name;
}

std::set<std::string> Formula::symbols() const {
    std::set<std::string> names;
    for_each_symbol([&](const std::string& name) { names.insert(name); });
    return names;
}

Monomial Formula::times(const Monomial& a, const Monomial& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    Monomial::Atoms r;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r), atom_less);
    return r;
}

/// Terms are built where they stay: `terms` is not shared yet.
Formula Formula::from_sorted(std::shared_ptr<Terms> terms) {
    Formula f;
    if (!terms->empty()) f.terms_ = std::move(terms);
    return f;
}

/// Sorts terms, adds up those with one monomial, drops zeros.
Formula Formula::from_any(Terms terms) {
    std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return compare(a.first, b.first) < 0; });
    auto sum = std::make_shared<Terms>();
    for (auto& [m, c] : terms) {
        if (sum->empty() || compare(sum->back().first, m) != 0)
            sum->emplace_back(std::move(m), c);
        else
            sum->back().second = narrow(Wide{sum->back().second} + c);
        if (sum->back().second == 0) sum->pop_back();
    }
    return from_sorted(std::move(sum));
}

namespace {

/// a + sign*b for sorted terms.
std::shared_ptr<Terms> merged(const Terms& a, const Terms& b, int sign) {
    auto sum = std::make_shared<Terms>();  // often short: terms cancel
    auto i = a.begin(), j = b.begin();
    while (i != a.end() || j != b.end()) {
        const int order = i == a.end() ? 1 : j == b.end() ? -1 : compare(i->first, j->first);
        const Wide c = (order <= 0 ? Wide{i->second} : Wide{0}) + (order >= 0 ? sign * Wide{j->second} : Wide{0});
        if (c != 0) sum->emplace_back(order <= 0 ? i->first : j->first, narrow(c));
        if (order <= 0) ++i;
        if (order >= 0) ++j;
    }
    return sum;
}

}  // namespace

Formula operator+(const Formula& a, const Formula& b) {
    if (!b.terms_) return a;
    if (!a.terms_) return b;
    return Formula::from_sorted(merged(*a.terms_, *b.terms_, 1));
}

Formula operator-(const Formula& a) {
    auto terms = std::make_shared<Terms>(a.terms());
    for (auto& [m, coefficient] : *terms) coefficient = narrow(-Wide{coefficient});
    return Formula::from_sorted(std::move(terms));
}

Formula operator-(const Formula& a, const Formula& b) {
    if (!b.terms_) return a;
    return Formula::from_sorted(merged(a.terms(), *b.terms_, -1));
}

Formula operator*(const Formula& a, const Formula& b) {
    if (!a.terms_ || !b.terms_) return {};
    if (b.terms_->size() > a.terms_->size() || (a.is_constant() && !b.is_constant())) return b * a;
    if (b.is_constant()) {
        const std::int64_t factor = b.terms_->front().second;
        if (factor == 1) return a;
        auto terms = std::make_shared<Terms>(*a.terms_);
        for (auto& [m, c] : *terms) c = narrow(multiply(c, factor));
        return Formula::from_sorted(std::move(terms));
    }
    Terms all;
    all.reserve(a.terms_->size() * b.terms_->size());
    for (const auto& [m, c] : *a.terms_) {
        for (const auto& [n, d] : *b.terms_) all.emplace_back(Formula::times(m, n), narrow(multiply(c, d)));
    }
    return Formula::from_any(std::move(all));
}

bool operator==(const Formula& a, const Formula& b) {
    return a.terms().size() == b.terms().size() && compare(a, b) == 0;
}

bool operator<(const Formula& a, const Formula& b) { return compare(a, b) < 0; }

}  // namespace halogen
