// Arithmetic of formulas. Invariants: no zero coefficient is kept; the atoms of a monomial are sorted; a floor_div atom has
// a divisor that is no constant <= 1 and no numerator part that the divisor divides; min and max are sorted and flat.

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

/// a / b when every atom of `b` stands in `a` often enough.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
    if (b.empty()) return a;
    if (!std::includes(a.begin(), a.end(), b.begin(), b.end(), atom_less)) return std::nullopt;
    Monomial::Atoms r;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r), atom_less);
    return r;
}

Formula of_atom(Atom::Kind kind, const Formula& a, const Formula& b) { return Formula(Atom::operation(kind, a, b)); }

/// The leading term by degree, then by atoms: an order that products keep, as long division needs.
const std::pair<Monomial, std::int64_t>& leading_term(const Formula& f) {
    auto best = f.terms().begin();
    for (auto at = f.terms().begin(); at != f.terms().end(); ++at) {
        if (at->first.size() >= best->first.size()) best = at;
    }
    return *best;
}

/// Exact quotient of polynomials by long division over the leading monomials, or nothing.
std::optional<Formula> divide_exactly(Formula a, const Formula& b) {
    if (b.terms().empty()) return std::nullopt;
    const auto& lead = leading_term(b);
    Formula quotient;
    for (std::size_t steps = 4 * (a.terms().size() + b.terms().size()); !a.terms().empty(); --steps) {
        const auto top = leading_term(a);
        const auto m = divide(top.first, lead.first);
        if (!m || top.second % lead.second != 0 || steps == 0) return std::nullopt;
        const Formula part = Formula::term(*m, top.second / lead.second);
        quotient = quotient + part;
        a = a - part * b;
    }
    return quotient;
}

/// Splits `a` into a part that the single term `b` divides, divided, and the rest.
std::pair<Formula, Formula> split_by_term(const Formula& a, const Monomial& b, std::int64_t c) {
    Formula quotient, rest;
    for (const auto& [m, coefficient] : a.terms()) {
        const auto left = divide(m, b);
        if (!left) {
            rest = rest + Formula::term(m, coefficient);
            continue;
        }
        // A constant leaves a remainder in [0, c); other terms keep their sign: (H - R)/2 stays as written.
        const std::int64_t q =
            m.empty() ? static_cast<std::int64_t>(floor_div(Wide{coefficient}, Wide{c})) : coefficient / c;
        if (q != 0) quotient = quotient + Formula::term(*left, q);
        const Wide remaining = subtract(Wide{coefficient}, multiply(q, c));
        if (remaining != 0) rest = rest + Formula::term(m, narrow(remaining));
    }
    return {quotient, rest};
}

/// floor((floor(x/c) + y)/d) = floor((x + c*y)/(c*d)) for positive constants c and d.
std::optional<Formula> merge_nested(const Formula& a, std::int64_t d) {
    for (const auto& [m, coefficient] : a.terms()) {
        if (m.size() != 1 || coefficient != 1 || m[0]->kind != Atom::Kind::floor_div) continue;
        const auto c = m[0]->b.constant();
        if (!c) continue;
        const Formula y = a - Formula(m[0]);
        return floor_div(m[0]->a + y * *c, Formula(narrow(multiply(*c, d))));
    }
    return std::nullopt;
}

Formula divide_by_constant(const Formula& a, std::int64_t c) {
    auto [quotient, rest] = split_by_term(a, {}, c);
    if (rest.is_constant()) return quotient;  // a remainder in [0, c)
    if (auto merged = merge_nested(rest, c)) return quotient + *merged;
    // floor((g*a + r)/(g*b)) = floor(a/b) for 0 <= r < g
    Wide g = c;
    for (const auto& [m, coefficient] : rest.terms()) {
        if (!m.empty()) g = gcd(g, coefficient);
    }
    if (g > 1) {
        Formula reduced;
        for (const auto& [m, coefficient] : rest.terms())
            reduced = reduced + Formula::term(m, static_cast<std::int64_t>(floor_div(Wide{coefficient}, g)));
        return quotient + floor_div(reduced, Formula(static_cast<std::int64_t>(c / g)));
    }
    return quotient + of_atom(Atom::Kind::floor_div, rest, Formula(c));
}

/// (g*a + r) % (g*b) = g*(a % b) + r for 0 <= r < g; coefficients are in [0, c).
Formula remainder_by_constant(const Formula& a, std::int64_t c) {
    Wide g = c;
    for (const auto& [m, coefficient] : a.terms()) {
        if (!m.empty()) g = gcd(g, coefficient);
    }
    if (g == 1) return of_atom(Atom::Kind::remainder, a, Formula(c));
    Formula whole;
    std::int64_t rest = 0;
    for (const auto& [m, coefficient] : a.terms()) {
        whole = whole + Formula::term(m, static_cast<std::int64_t>(coefficient / g));
        if (m.empty()) rest = static_cast<std::int64_t>(coefficient % g);
    }
    const Formula factor = static_cast<std::int64_t>(g);
    return factor * remainder(whole, Formula(static_cast<std::int64_t>(c / g))) + Formula(rest);
}

/// The largest term that divides both: a positive integer and common atoms (positive, since a divisor is).
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
            std::set_intersection(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(both), atom_less);
            m = std::move(both);
        }
    }
    return {m, static_cast<std::int64_t>(g)};
}

/// All operands of nested min (or max) atoms.
void flatten(Atom::Kind kind, const Formula& f, std::vector<Formula>& into) {
    if (f.terms().size() == 1 && f.terms().begin()->second == 1) {
        const auto& m = f.terms().begin()->first;
        if (m.size() == 1 && m[0]->kind == kind) {
            flatten(kind, m[0]->a, into);
            flatten(kind, m[0]->b, into);
            return;
        }
    }
    into.push_back(f);
}

/// min or max: operands that differ by a constant are decided, the rest sorted and nested to the left.
Formula extreme(Atom::Kind kind, const Formula& a, const Formula& b) {
    std::vector<Formula> operands, kept;
    flatten(kind, a, operands);
    flatten(kind, b, operands);
    for (const auto& f : operands) {
        bool merged = false;
        for (auto& k : kept) {
            const auto difference = (f - k).constant();
            if (!difference) continue;
            if ((kind == Atom::Kind::max) == (*difference > 0)) k = f;
            merged = true;
            break;
        }
        if (!merged) kept.push_back(f);
    }
    std::sort(kept.begin(), kept.end());
    Formula r = kept[0];
    for (std::size_t i = 1; i < kept.size(); ++i) r = of_atom(kind, r, kept[i]);
    return r;
}

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

std::optional<std::string> Formula::as_symbol() const {
    if (terms().size() != 1 || terms_->front().second != 1) return std::nullopt;
    const auto& m = terms_->front().first;
    if (m.size() != 1 || m[0]->kind != Atom::Kind::symbol) return std::nullopt;
    return m[0]->name;
}

bool Formula::is_symbol(const std::string& name) const {
    if (!terms_ || terms_->size() != 1 || terms_->front().second != 1) return false;
    const auto& m = terms_->front().first;
    return m.size() == 1 && m[0]->kind == Atom::Kind::symbol && m[0]->name == name;
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

Formula floor_div(const Formula& a, const Formula& b) {
    if (const auto c = b.constant()) {
        if (*c == 1) return a;
        if (*c < 0) return floor_div(-a, -b);
        if (*c > 0) return divide_by_constant(a, *c);
        return of_atom(Atom::Kind::floor_div, a, b);  // evaluating it is an error
    }
    if (auto exact = divide_exactly(a, b)) return *exact;
    const auto [m, g] = common_term(a, b);
    if (!m.empty() || g > 1) {
        const Formula common = Formula::term(m, g);
        return floor_div(*divide_exactly(a, common), *divide_exactly(b, common));
    }
    if (b.terms().size() == 1) {
        auto [quotient, rest] = split_by_term(a, b.terms().front().first, b.terms().front().second);
        if (rest.terms().empty()) return quotient;
        if (rest == Formula(-1) && b.terms().front().second > 0) return quotient - Formula(1);  // any divisor is >= 1
        return quotient + of_atom(Atom::Kind::floor_div, rest, b);
    }
    return of_atom(Atom::Kind::floor_div, a, b);
}

Formula remainder(const Formula& a, const Formula& b) {
    if (const auto c = b.constant(); c && *c < 0) return remainder(a, -b);
    if (const auto c = b.constant(); c && *c > 0) {
        Formula reduced;
        for (const auto& [m, coefficient] : a.terms()) {
            const Wide r = subtract(coefficient, multiply(floor_div(Wide{coefficient}, Wide{*c}), *c));
            if (r != 0) reduced = reduced + Formula::term(m, static_cast<std::int64_t>(r));
        }
        return reduced.is_constant() ? reduced : remainder_by_constant(reduced, *c);
    }
    if (b.terms_ && divide_exactly(a, b)) return 0;
    if (b.terms().size() != 1) return of_atom(Atom::Kind::remainder, a, b);
    const Formula rest = split_by_term(a, b.terms().front().first, b.terms().front().second).second;
    return rest.terms().empty() ? rest : of_atom(Atom::Kind::remainder, rest, b);
}

Formula ceil_div(const Formula& a, const Formula& b) { return floor_div(a + b - Formula(1), b); }

Formula min(const Formula& a, const Formula& b) { return extreme(Atom::Kind::min, a, b); }

Formula max(const Formula& a, const Formula& b) { return extreme(Atom::Kind::max, a, b); }

Formula operation(Atom::Kind kind, const Formula& a, const Formula& b) {
    switch (kind) {
    case Atom::Kind::floor_div: return floor_div(a, b);
    case Atom::Kind::remainder: return remainder(a, b);
    case Atom::Kind::min: return min(a, b);
    default: return max(a, b);
    }
}

bool operator==(const Formula& a, const Formula& b) {
    return a.terms().size() == b.terms().size() && compare(a, b) == 0;
}

bool operator<(const Formula& a, const Formula& b) { return compare(a, b) < 0; }

}  // namespace halogen
