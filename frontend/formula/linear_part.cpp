#include "frontend/formula/linear_part.h"

#include <algorithm>

namespace halogen {

std::optional<LinearPart> linear_part(const Formula& f, const std::string& x) {
    using Atom = Formula::Atom;
    LinearPart part;
    for (const auto& [m, c] : f.terms()) {
        Formula::Monomial::Atoms others;
        bool found = false;
        for (const auto& atom : m) {
            if (atom->kind != Atom::Kind::symbol) {
                const auto& in = atom->symbols;
                if (std::any_of(in.begin(), in.end(), [&](const auto& s) { return s->name == x; })) return std::nullopt;
            } else if (atom->name == x) {
                if (found) return std::nullopt;
                found = true;
                continue;
            }
            others.push_back(atom);
        }
        Formula& side = found ? part.factor : part.rest;
        side = side + (found ? Formula::term(others, c) : Formula::term(m, c));
    }
    return part;
}

}  // namespace halogen
