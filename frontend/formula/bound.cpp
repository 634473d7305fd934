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

/// What a bound is taken to rest on: factors that are positive, or cases in which there is none.
struct Terms {
    std::vector<Formula>* positive = nullptr;
    ConditionalBound* conditional = nullptr;
};

/// The factor as a divisor, where it is positive; nothing where it surely is not.
std::optional<Formula> as_divisor(const Formula& factor, Terms& terms) {
    if (const auto c = factor.constant()) return *c > 0 ? std::optional(factor) : std::nullopt;
    if (is_nonnegative(-factor)) return std::nullopt;
    if (terms.conditional) {
        if (is_nonnegative(factor - Formula(1))) return factor;
        terms.conditional->unless.push_back(-factor);
        terms.conditional->decides = false;
        return max(factor, 1);
    }
    if (!is_nonnegative(factor)) return std::nullopt;
    terms.positive->push_back(factor);
    return factor;
}

std::optional<Formula> largest(const Formula& f, const std::string& v, Terms& terms);

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

/// The largest v with min(varies, still) <= bound, `still` free of v: any will do where `still` is no larger than `bound`.
std::optional<Formula> largest_of_least(const Formula& varies, const Formula& still, const Formula& bound,
                                        const std::string& v, Terms& terms) {
    if (is_nonnegative(bound - still)) return std::nullopt;
    if (!is_nonnegative(still - bound - Formula(1))) {
        if (!terms.conditional) return std::nullopt;
        terms.conditional->unless.push_back(bound - still);
    }
    return largest(varies - bound, v, terms);
}

/// The largest v with atom(v) <= bound.
std::optional<Formula> largest_of_atom(const Formula::AtomRef& atom, const Formula& bound, const std::string& v,
                                       Terms& terms) {
    switch (atom->kind) {
    case Atom::Kind::symbol: return bound;
    case Atom::Kind::floor_div:  // floor(a/b) <= q means a <= b*q + b - 1
        if (mentions(atom->b, v)) return std::nullopt;
        return largest(atom->a - atom->b * bound - atom->b + Formula(1), v, terms);
    case Atom::Kind::max: {
        auto a = largest(atom->a - bound, v, terms);
        auto b = largest(atom->b - bound, v, terms);
        if (terms.conditional) terms.conditional->decides = false;  // for the other operand has to fit too
        if (a && b)
            return terms.conditional && !terms.conditional->unless.empty() ? std::nullopt
                                                                           : std::optional(smaller(*a, *b));
        if (a && !mentions(atom->b, v)) return a;  // the other operand has to fit whatever v is
        if (b && !mentions(atom->a, v)) return b;
        return std::nullopt;
    }
    case Atom::Kind::min:
        if (!mentions(atom->b, v)) return largest_of_least(atom->a, atom->b, bound, v, terms);
        if (!mentions(atom->a, v)) return largest_of_least(atom->b, atom->a, bound, v, terms);
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

std::optional<Formula> largest(const Formula& f, const std::string& v, Terms& terms) {
    const auto parts = isolate(f, v);
    if (!parts) {
        const auto q = as_quotient(f, v);
        return q ? largest(q->numerator - q->divisor + Formula(1), v, terms) : std::nullopt;
    }
    const auto divisor = as_divisor(parts->factor, terms);
    return divisor ? largest_of_atom(parts->atom, floor_div(-parts->rest, *divisor), v, terms) : std::nullopt;
}

}  // namespace

std::optional<Formula> largest_with_nonpositive(const Formula& f, const std::string& v,
                                                std::vector<Formula>& positive) {
    Terms terms{&positive, nullptr};
    return largest(f, v, terms);
}

std::optional<ConditionalBound> largest_where_bounded(const Formula& f, const std::string& v) {
    ConditionalBound bound;
    Terms terms{nullptr, &bound};
    const auto value = largest(f, v, terms);
    if (!value) return std::nullopt;
    bound.value = *value;
    return bound;
}

std::optional<Formula> least_with_nonnegative(const Formula& f, const std::string& v, std::vector<Formula>& positive) {
    const auto parts = isolate(f, v);
    if (!parts) {
        const auto q = as_quotient(f, v);
        return q ? least_with_nonnegative(q->numerator, v, positive) : std::nullopt;
    }
    Terms terms{&positive, nullptr};
    const auto divisor = as_divisor(parts->factor, terms);
    return divisor ? least_of_atom(parts->atom, ceil_div(-parts->rest, *divisor), v, positive) : std::nullopt;
}

}  // namespace halogen
