#include "frontend/formula/invert.h"

#include "frontend/formula/sign.h"

namespace halogen {

namespace {

using Atom = Formula::Atom;

bool contains(const Formula& f, const std::string& symbol) { return f.symbols().count(symbol) > 0; }

/// f = factor * atom + rest, neither of which holds the symbol.
struct Part {
    Formula::AtomRef atom;
    Formula factor, rest;
};

/// The one atom that holds `symbol`, when it is the same in all terms and stands once in each.
std::optional<Part> part_with(const Formula& f, const std::string& symbol) {
    Part part;
    for (const auto& [monomial, coefficient] : f.terms()) {
        Formula others = coefficient;
        Formula::AtomRef found;
        for (const Formula::AtomRef& atom : monomial) {
            if (!contains(Formula(atom), symbol))
                others = others * Formula(atom);
            else if (found)
                return std::nullopt;
            else
                found = atom;
        }
        if (!found)
            part.rest = part.rest + others;
        else if (!part.atom || Formula(part.atom) == Formula(found))
            part.atom = found, part.factor = part.factor + others;
        else
            return std::nullopt;
    }
    if (!part.atom) return std::nullopt;
    return part;
}

bool is_nonnegative_from_one(const Formula& f) {
    LowerBounds one;
    for (const std::string& name : f.symbols()) one[name] = 1;
    return is_nonnegative(f, one);
}

using End = std::optional<Formula>;

std::optional<Preimage> between(const Formula& f, const std::string& symbol, End low, End high);

/// low <= atom <= high.
std::optional<Preimage> between(const Atom& atom, const std::string& symbol, const End& low, const End& high) {
    switch (atom.kind) {
    case Atom::Kind::symbol: return Preimage{low, high};
    case Atom::Kind::floor_div:
        if (!contains(atom.b, symbol))
            return between(atom.a, symbol, low ? End(atom.b * *low) : End(),
                           high ? End(atom.b * *high + atom.b - Formula(1)) : End());
        if (contains(atom.a, symbol)) return std::nullopt;
        // A larger divisor gives a smaller quotient: b <= a/low, and a < b*(high + 1).
        return between(atom.b, symbol, high ? End(floor_div(atom.a, *high + Formula(1)) + Formula(1)) : End(),
                       low ? End(floor_div(atom.a, *low)) : End());
    case Atom::Kind::min:
    case Atom::Kind::max: {
        const bool in_a = contains(atom.a, symbol), least = atom.kind == Atom::Kind::min;
        if (in_a && contains(atom.b, symbol)) return std::nullopt;
        return between(in_a ? atom.a : atom.b, symbol, least ? low : End(), least ? End() : high);
    }
    default: return std::nullopt;
    }
}

std::optional<Preimage> between(const Formula& f, const std::string& symbol, End low, End high) {
    std::optional<Part> part = part_with(f, symbol);
    if (!part) return std::nullopt;
    if (!is_nonnegative_from_one(part->factor)) {
        if (!is_nonnegative_from_one(-part->factor)) return std::nullopt;
        part->factor = -part->factor;
        part->rest = -part->rest;
        const End turned = high ? End(-*high) : End();
        high = low ? End(-*low) : End();
        low = turned;
    }
    return between(*part->atom, symbol, low ? End(ceil_div(*low - part->rest, part->factor)) : End(),
                   high ? End(floor_div(*high - part->rest, part->factor)) : End());
}

}  // namespace

std::optional<Preimage> preimage(const Formula& f, const std::string& symbol, const Formula& low, const Formula& high) {
    return between(f, symbol, low, high);
}

}  // namespace halogen
