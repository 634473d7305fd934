#include "frontend/formula/sign.h"

#include <algorithm>

namespace halogen {

namespace {

using Atom = Formula::Atom;

bool atom_is_nonnegative(const Atom& atom) {
    switch (atom.kind) {
    case Atom::Kind::symbol:
    case Atom::Kind::remainder: return true;
    case Atom::Kind::floor_div: return is_nonnegative(atom.a);
    case Atom::Kind::min: return is_nonnegative(atom.a) && is_nonnegative(atom.b);
    case Atom::Kind::max: return is_nonnegative(atom.a) || is_nonnegative(atom.b);
    }
    return false;
}

/// A quotient below a formula: -floor(a/b) >= -a for a >= 0, so c*a may stand for c*floor(a/b), c < 0; likewise
/// min(a, b) <= a and max(a, b) >= a. Gives the formulas to try, each no larger than `f`.
std::vector<Formula> smaller_forms(const Formula& f) {
    std::vector<Formula> forms;
    for (const auto& [m, c] : f.terms()) {
        for (std::size_t i = 0; i < m.size(); ++i) {
            const Atom& atom = *m[i];
            if (atom.kind == Atom::Kind::symbol) continue;
            Formula others = c;
            bool others_nonnegative = true;
            for (std::size_t j = 0; j < m.size(); ++j) {
                if (j == i) continue;
                others = others * Formula(m[j]);
                others_nonnegative = others_nonnegative && atom_is_nonnegative(*m[j]);
            }
            if (!others_nonnegative) continue;
            const Formula rest = f - others * Formula(m[i]);
            const bool falls = c < 0;  // f falls as the atom grows
            if (atom.kind == Atom::Kind::floor_div) {
                // b*floor(a/b) <= a; with c < 0 and b dividing the factor, the product shrinks to others/b*a.
                const Formula whole = floor_div(others, atom.b);
                if (falls && whole * atom.b == others)
                    forms.push_back(rest + whole * atom.a);
                else if (falls && is_nonnegative(atom.a))
                    forms.push_back(rest + others * atom.a);
            } else if (atom.kind == Atom::Kind::remainder && falls) {
                forms.push_back(rest + others * (atom.b - Formula(1)));
            } else if (atom.kind == (falls ? Atom::Kind::min : Atom::Kind::max)) {
                forms.push_back(rest + others * atom.a);
                forms.push_back(rest + others * atom.b);
            }
        }
    }
    return forms;
}

bool search(const Formula& f, int depth) {
    if (std::all_of(f.terms().begin(), f.terms().end(), [](const auto& term) {
            return term.second > 0 && std::all_of(term.first.begin(), term.first.end(),
                                                  [](const auto& a) { return atom_is_nonnegative(*a); });
        }))
        return true;
    if (depth == 0 || f.is_constant()) return false;
    const auto forms = smaller_forms(f);
    return forms.size() <= 8 &&
           std::any_of(forms.begin(), forms.end(), [&](const Formula& g) { return search(g, depth - 1); });
}

}  // namespace

bool is_nonnegative(const Formula& f, const LowerBounds& bounds) {
    if (const auto c = f.constant()) return *c >= 0;
    if (bounds.empty()) return search(f, 3);
    std::map<std::string, Formula> shifted;
    for (const auto& name : f.symbols()) {
        const auto at = bounds.find(name);
        if (at != bounds.end() && at->second != 0) shifted.emplace(name, Formula::symbol(name) + Formula(at->second));
    }
    return search(f.substitute(shifted), 3);
}

Formula larger(const Formula& a, const Formula& b, const LowerBounds& bounds) {
    if (is_nonnegative(a - b, bounds)) return a;
    if (is_nonnegative(b - a, bounds)) return b;
    return max(a, b);
}

Formula smaller(const Formula& a, const Formula& b, const LowerBounds& bounds) {
    if (is_nonnegative(a - b, bounds)) return b;
    if (is_nonnegative(b - a, bounds)) return a;
    return min(a, b);
}

}  // namespace halogen
