// For which values of one symbol a formula keeps a sign.

#include "frontend/formula/bound.h"

#include "frontend/formula/sign.h"

#include <algorithm>

namespace halogen {

using Atom = Formula::Atom;

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
    return atom.kind == Atom::Kind::symbol ? atom.name == v
                                           : std::any_of(atom.symbols.begin(), atom.symbols.end(),
                                                         [&](const auto& symbol) { return symbol->name == v; });
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
