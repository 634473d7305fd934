#include "frontend/formula/hull.h"

#include <algorithm>

namespace halogen {

namespace {

using Atom = Formula::Atom;

bool varies(const Atom& atom, const Box& box) {
    if (atom.kind == Atom::Kind::symbol) return box.contains(atom.name);
    bool found = false;
    const auto look = [&](const std::string& name) { found = found || box.contains(name); };
    atom.a.for_each_symbol(look);
    atom.b.for_each_symbol(look);
    return found;
}

Hull scaled(const Formula& factor, const Hull& h, const LowerBounds& bounds) {
    if (is_nonnegative(factor, bounds)) return {factor * h.low, factor * h.high};
    if (is_nonnegative(-factor, bounds)) return {factor * h.high, factor * h.low};
    return {smaller(factor * h.low, factor * h.high, bounds), larger(factor * h.low, factor * h.high, bounds)};
}

Hull product(const Hull& a, const Hull& b, const LowerBounds& bounds) {
    if (is_nonnegative(a.low, bounds) && is_nonnegative(b.low, bounds)) return {a.low * b.low, a.high * b.high};
    const Hull low = scaled(a.low, b, bounds), high = scaled(a.high, b, bounds);
    return {smaller(low.low, high.low, bounds), larger(low.high, high.high, bounds)};
}

Hull remainder_hull(const Hull& a, const Formula& b, const LowerBounds& bounds) {
    // Within one period the remainder is a shift of the operand; across a period's end it takes all values.
    if (floor_div(a.low, b) == floor_div(a.high, b)) return {remainder(a.low, b), remainder(a.high, b)};
    const Formula last = b - Formula(1);
    if (a.low == Formula(0)) return {0, smaller(a.high, last, bounds)};
    return {0, last};
}

Hull atom_hull(const Formula::AtomRef& atom, const Box& box, const LowerBounds& bounds) {
    if (atom->kind == Atom::Kind::symbol) {
        const auto at = box.find(atom->name);
        return at == box.end() ? Hull{Formula(atom), Formula(atom)} : at->second;
    }
    const Hull a = hull_of(atom->a, box, bounds);
    const Hull b = hull_of(atom->b, box, bounds);
    switch (atom->kind) {
    case Atom::Kind::floor_div:
        // The divisor is positive: a larger one takes the quotient nearer to zero.
        if (b.low == b.high) return {floor_div(a.low, b.low), floor_div(a.high, b.high)};
        return {smaller(floor_div(a.low, b.low), floor_div(a.low, b.high), bounds),
                larger(floor_div(a.high, b.low), floor_div(a.high, b.high), bounds)};
    case Atom::Kind::remainder:
        return b.low == b.high ? remainder_hull(a, b.low, bounds) : Hull{0, b.high - Formula(1)};
    case Atom::Kind::min: return {smaller(a.low, b.low, bounds), smaller(a.high, b.high, bounds)};
    default: return {larger(a.low, b.low, bounds), larger(a.high, b.high, bounds)};
    }
}

}  // namespace

Hull hull_of(const Formula& f, const Box& box, const LowerBounds& bounds) {
    Hull sum;
    // what varies in a term -> the sum of what multiplies it
    std::vector<std::pair<Formula::Monomial, Formula>> factors;
    for (const auto& [m, c] : f.terms()) {
        Formula::Monomial::Atoms fixed, varying;
        for (const auto& atom : m) (varies(*atom, box) ? varying : fixed).push_back(atom);
        const Formula factor = varying.empty() ? Formula::term(m, c) : Formula::term(std::move(fixed), c);
        if (varying.empty()) {
            sum = {sum.low + factor, sum.high + factor};
            continue;
        }
        const Formula::Monomial what = varying.size() == m.size() ? m : Formula::Monomial(std::move(varying));
        const Formula::MonomialLess less;
        const auto same = std::find_if(factors.begin(), factors.end(), [&](const auto& other) {
            return !less(other.first, what) && !less(what, other.first);
        });
        if (same == factors.end())
            factors.emplace_back(what, factor);
        else
            same->second = same->second + factor;
    }
    for (const auto& [varying, factor] : factors) {
        Hull h = atom_hull(varying.front(), box, bounds);
        for (std::size_t i = 1; i < varying.size(); ++i) h = product(h, atom_hull(varying[i], box, bounds), bounds);
        const Hull part = scaled(factor, h, bounds);
        sum = {sum.low + part.low, sum.high + part.high};
    }
    return sum;
}

bool mentions(const Formula& f, const std::string& symbol) {
    bool found = false;
    f.for_each_symbol([&](const std::string& name) { found = found || name == symbol; });
    return found;
}

namespace {

/// f = factor * atom + rest where `v` stands in the one atom alone.
struct Isolated {
    Formula factor;
    Formula::AtomRef atom;
    Formula rest;
};

bool mentions(const Atom& atom, const std::string& v) {
    return atom.kind == Atom::Kind::symbol ? atom.name == v : mentions(atom.a, v) || mentions(atom.b, v);
}

std::optional<Isolated> isolate(const Formula& f, const std::string& v) {
    Isolated result;
    for (const auto& [m, c] : f.terms()) {
        Formula::Monomial::Atoms others;
        Formula::AtomRef holder;
        for (const auto& atom : m) {
            if (!mentions(*atom, v)) {
                others.push_back(atom);
            } else if (holder) {
                return std::nullopt;  // v*v
            } else {
                holder = atom;
            }
        }
        if (!holder) {
            result.rest = result.rest + Formula::term(m, c);
            continue;
        }
        if (result.atom && !(Formula(result.atom) == Formula(holder))) return std::nullopt;
        result.atom = holder;
        result.factor = result.factor + Formula::term(others, c);
    }
    return result.atom ? std::optional(result) : std::nullopt;
}

/// +1, -1 by what is provable; a factor that is no constant is taken as positive unless it is provably negative.
int sign_of(const Formula& factor, std::vector<Formula>& positive) {
    if (const auto c = factor.constant()) return *c > 0 ? 1 : -1;
    if (is_nonnegative(-factor)) {
        positive.push_back(-factor);
        return -1;
    }
    if (!is_nonnegative(factor)) return 0;
    positive.push_back(factor);
    return 1;
}

std::optional<Formula> largest_of_atom(const Formula::AtomRef& atom, const Formula& bound, const std::string& v,
                                       std::vector<Formula>& positive);

/// The least v with atom(v) >= bound.
std::optional<Formula> least_of_atom(const Formula::AtomRef& atom, const Formula& bound, const std::string& v,
                                     std::vector<Formula>& positive) {
    switch (atom->kind) {
    case Atom::Kind::symbol: return bound;
    case Atom::Kind::floor_div:  // floor(a/b) >= q means a >= b*q
        if (mentions(atom->b, v)) return std::nullopt;
        return least_with_nonnegative(atom->a - atom->b * bound, v, positive);
    case Atom::Kind::min:
    case Atom::Kind::max: {
        const auto a = least_with_nonnegative(atom->a - bound, v, positive);
        const auto b = least_with_nonnegative(atom->b - bound, v, positive);
        if (!a || !b) return std::nullopt;
        return atom->kind == Atom::Kind::min ? larger(*a, *b) : smaller(*a, *b);
    }
    default: return std::nullopt;
    }
}

/// The largest v with atom(v) <= bound.
std::optional<Formula> largest_of_atom(const Formula::AtomRef& atom, const Formula& bound, const std::string& v,
                                       std::vector<Formula>& positive) {
    switch (atom->kind) {
    case Atom::Kind::symbol: return bound;
    case Atom::Kind::floor_div:  // floor(a/b) <= q means a <= b*q + b - 1
        if (mentions(atom->b, v)) return std::nullopt;
        return largest_with_nonpositive(atom->a - atom->b * bound - atom->b + Formula(1), v, positive);
    case Atom::Kind::max: {
        auto a = largest_with_nonpositive(atom->a - bound, v, positive);
        auto b = largest_with_nonpositive(atom->b - bound, v, positive);
        if (a && b) return smaller(*a, *b);
        if (a && !mentions(atom->b, v)) return a;  // the other operand has to fit whatever v is
        if (b && !mentions(atom->a, v)) return b;
        return std::nullopt;
    }
    case Atom::Kind::min:  // bounds v where the other operand is surely too large
        if (!mentions(atom->b, v) && is_nonnegative(atom->b - bound - Formula(1)))
            return largest_with_nonpositive(atom->a - bound, v, positive);
        if (!mentions(atom->a, v) && is_nonnegative(atom->a - bound - Formula(1)))
            return largest_with_nonpositive(atom->b - bound, v, positive);
        return std::nullopt;
    default: return std::nullopt;  // a remainder stays below its divisor: no bound
    }
}

/// f = floor(a/b) + rest with `v` in both: the sign of f is told by a + b*rest, whose terms may come together.
struct Quotient {
    Formula numerator;  // a + b*rest
    Formula divisor;
};

std::optional<Quotient> as_quotient(const Formula& f, const std::string& v) {
    for (const auto& [m, c] : f.terms()) {
        if (m.size() != 1 || c != 1 || m[0]->kind != Atom::Kind::floor_div) continue;
        const Formula &a = m[0]->a, &b = m[0]->b;
        if (halogen::mentions(a, v) && !halogen::mentions(b, v)) return Quotient{a + b * (f - Formula::term(m, c)), b};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Formula> largest_with_nonpositive(const Formula& f, const std::string& v,
                                                std::vector<Formula>& positive) {
    const auto parts = isolate(f, v);
    if (!parts) {
        const auto q = as_quotient(f, v);
        return q ? largest_with_nonpositive(q->numerator - q->divisor + Formula(1), v, positive) : std::nullopt;
    }
    if (sign_of(parts->factor, positive) <= 0) return std::nullopt;
    return largest_of_atom(parts->atom, floor_div(-parts->rest, parts->factor), v, positive);
}

std::optional<Formula> least_with_nonnegative(const Formula& f, const std::string& v, std::vector<Formula>& positive) {
    const auto parts = isolate(f, v);
    if (!parts) {
        const auto q = as_quotient(f, v);
        return q ? least_with_nonnegative(q->numerator, v, positive) : std::nullopt;
    }
    if (sign_of(parts->factor, positive) <= 0) return std::nullopt;
    return least_of_atom(parts->atom, ceil_div(-parts->rest, parts->factor), v, positive);
}

}  // namespace halogen
