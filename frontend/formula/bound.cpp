// For which values of one symbol a formula keeps a sign, or lies between two others.

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

bool is_nonnegative_from_one(const Formula& f) {
    LowerBounds one;
    for (const std::string& name : f.symbols()) one[name] = 1;
    return is_nonnegative(f, one);
}

enum class End { least, largest };

/// What a bound is taken to rest on.
struct Terms {
    std::vector<Formula>* positive = nullptr;  // factors that are positive
    ConditionalBound* conditional = nullptr;   // cases in which there is no bound
    bool inverts = false;  // symbols are at least 1, `v` may stand in divisors and where f falls, and no value with
                           // f(v) <= 0 is past the bound, but there may be others up to it
};

/// The end of all v with f(v) <= 0, by undoing `f` from the outside inwards.
class EndFinder {
public:
    EndFinder(const std::string& v, End end, Terms terms) : v_(v), end_(end), terms_(terms) {}

    std::optional<Formula> of(const Formula& f) {
        const auto parts = isolate(f, v_);
        if (!parts) return of_quotient(f);
        const auto& [factor, atom, rest] = *parts;
        const bool largest = end_ == End::largest;
        if (const auto divisor = as_divisor(largest ? factor : -factor))
            return largest ? of_at_most(*atom, floor_div(-rest, *divisor))
                           : of_at_least(*atom, ceil_div(rest, *divisor));
        if (!terms_.inverts) return std::nullopt;
        if (const auto divisor = as_divisor(largest ? -factor : factor))
            return largest ? of_at_least(*atom, ceil_div(rest, *divisor))
                           : of_at_most(*atom, floor_div(-rest, *divisor));
        return std::nullopt;
    }

private:
    /// The factor as a divisor, where it is positive; nothing where it surely is not.
    std::optional<Formula> as_divisor(const Formula& factor) {
        if (const auto c = factor.constant()) return *c > 0 ? std::optional(factor) : std::nullopt;
        if (terms_.inverts) return is_nonnegative_from_one(factor) ? std::optional(factor) : std::nullopt;
        if (is_nonnegative(-factor)) return std::nullopt;
        if (terms_.conditional) {
            if (is_nonnegative(factor - Formula(1))) return factor;
            terms_.conditional->unless.push_back(-factor);
            terms_.conditional->decides = false;
            return max(factor, 1);
        }
        if (!is_nonnegative(factor) && !is_nonnegative_from_one(factor)) return std::nullopt;
        terms_.positive->push_back(factor);
        return factor;
    }

    std::optional<Formula> of_quotient(const Formula& f) {
        const bool largest = end_ == End::largest;
        const auto q = as_quotient(largest ? f : -f, v_);
        if (!q) return std::nullopt;
        return of(largest ? q->numerator - q->divisor + Formula(1) : -q->numerator);
    }

    /// The end of all v with atom(v) >= bound.
    std::optional<Formula> of_at_least(const Atom& atom, const Formula& bound) {
        switch (atom.kind) {
        case Atom::Kind::symbol: return end_ == End::least ? std::optional(bound) : std::nullopt;
        case Atom::Kind::floor_div:  // a/b >= q where a >= b*q; where a/q >= b
            if (!halogen::mentions(atom.b, v_)) return of(atom.b * bound - atom.a);
            if (!terms_.inverts || halogen::mentions(atom.a, v_)) return std::nullopt;
            return of(atom.b - floor_div(atom.a, bound));
        case Atom::Kind::min: {
            const auto a = of(bound - atom.a), b = of(bound - atom.b);
            if (a && b) return inner(*a, *b);
            return !terms_.inverts ? std::nullopt : a ? a : b;
        }
        case Atom::Kind::max: {
            const auto a = of(bound - atom.a), b = of(bound - atom.b);
            return a && b ? std::optional(outer(*a, *b)) : std::nullopt;
        }
        default: return std::nullopt;  // a remainder stays below its divisor: no bound
        }
    }

    /// The end of all v with atom(v) <= bound.
    std::optional<Formula> of_at_most(const Atom& atom, const Formula& bound) {
        switch (atom.kind) {
        case Atom::Kind::symbol: return end_ == End::largest ? std::optional(bound) : std::nullopt;
        case Atom::Kind::floor_div:  // a/b <= q where a <= b*q + b - 1; where a/(q + 1) + 1 <= b
            if (!halogen::mentions(atom.b, v_)) return of(atom.a - atom.b * bound - atom.b + Formula(1));
            if (!terms_.inverts || halogen::mentions(atom.a, v_)) return std::nullopt;
            return of(floor_div(atom.a, bound + Formula(1)) + Formula(1) - atom.b);
        case Atom::Kind::min:
            if (!halogen::mentions(atom.b, v_)) return of_least(atom.a, atom.b, bound);
            if (!halogen::mentions(atom.a, v_)) return of_least(atom.b, atom.a, bound);
            return std::nullopt;
        case Atom::Kind::max: {
            auto a = of(atom.a - bound), b = of(atom.b - bound);
            if (terms_.conditional) terms_.conditional->decides = false;  // for the other operand has to fit too
            if (a && b)
                return terms_.conditional && !terms_.conditional->unless.empty() ? std::nullopt
                                                                                 : std::optional(inner(*a, *b));
            if (a && (terms_.inverts || !halogen::mentions(atom.b, v_))) return a;  // the other fits whatever v is
            if (b && (terms_.inverts || !halogen::mentions(atom.a, v_))) return b;
            return std::nullopt;
        }
        default: return std::nullopt;
        }
    }

    /// min(varies, still) <= bound, `still` free of v: any v will do where `still` is no larger than `bound`.
    std::optional<Formula> of_least(const Formula& varies, const Formula& still, const Formula& bound) {
        if (is_nonnegative(bound - still)) return std::nullopt;
        if (!is_nonnegative(still - bound - Formula(1))) {
            if (!terms_.conditional) return std::nullopt;
            terms_.conditional->unless.push_back(bound - still);
        }
        return of(varies - bound);
    }

    /// The end of what is up to both ends, and of what is up to one of them.
    Formula inner(const Formula& a, const Formula& b) const {
        return end_ == End::largest ? smaller(a, b) : larger(a, b);
    }
    Formula outer(const Formula& a, const Formula& b) const {
        return end_ == End::largest ? larger(a, b) : smaller(a, b);
    }

    const std::string& v_;
    End end_;
    Terms terms_;
};

}  // namespace

std::optional<Formula> largest_with_nonpositive(const Formula& f, const std::string& v,
                                                std::vector<Formula>& positive) {
    return EndFinder(v, End::largest, {.positive = &positive}).of(f);
}

std::optional<Formula> least_with_nonnegative(const Formula& f, const std::string& v, std::vector<Formula>& positive) {
    return EndFinder(v, End::least, {.positive = &positive}).of(-f);
}

std::optional<ConditionalBound> largest_where_bounded(const Formula& f, const std::string& v) {
    ConditionalBound bound;
    const auto value = EndFinder(v, End::largest, {.conditional = &bound}).of(f);
    if (!value) return std::nullopt;
    bound.value = *value;
    return bound;
}

std::optional<Preimage> preimage(const Formula& f, const std::string& v, const Formula& low, const Formula& high) {
    const auto end_of = [&](End end) {
        const auto from_high =
            EndFinder(v, end, {.inverts = true}).of(f - high);  // where f rises, or falls for the least
        return from_high ? from_high : EndFinder(v, end, {.inverts = true}).of(low - f);
    };
    const Preimage ends{end_of(End::least), end_of(End::largest)};
    return ends.least || ends.most ? std::optional(ends) : std::nullopt;
}

}  // namespace halogen
