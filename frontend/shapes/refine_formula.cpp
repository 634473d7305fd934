#include "frontend/shapes/refine_formula.h"

#include "frontend/base/checked.h"

namespace halogen::shapes {

namespace {

using Kind = Formula::Atom::Kind;

bool holds_extreme(const Formula& f) {
    for (const auto& [atoms, factor] : f.terms()) {
        for (const auto& atom : atoms) {
            if (atom->kind == Kind::min || atom->kind == Kind::max) return true;
            if (atom->kind != Kind::symbol && (holds_extreme(atom->a) || holds_extreme(atom->b))) return true;
        }
    }
    return false;
}

Formula refined_atom(const Formula::AtomRef& atom, const LowerBounds& least) {
    if (atom->kind == Kind::symbol) return Formula(atom);
    const Formula a = refined(atom->a, least), b = refined(atom->b, least);
    switch (atom->kind) {
    case Kind::floor_div: return floor_div(a, b);
    case Kind::remainder: return remainder(a, b);
    case Kind::min: return smaller(a, b, least);
    default: return larger(a, b, least);
    }
}

/// The fact of a condition that is one fact alone, of the relation wanted.
const Fact* only_fact(const Predicate& p, Relation relation) {
    const bool is_single = p.alternatives().size() == 1 && p.alternatives()[0].size() == 1;
    return is_single && p.alternatives()[0][0].relation == relation ? &p.alternatives()[0][0] : nullptr;
}

}  // namespace

Formula refined(const Formula& f, const LowerBounds& least) {
    if (!holds_extreme(f)) return f;
    Formula sum;
    for (const auto& [atoms, factor] : f.terms()) {
        Formula product = factor;
        for (const auto& atom : atoms) product = product * refined_atom(atom, least);
        sum = sum + product;
    }
    return sum;
}

std::optional<std::pair<std::string, std::int64_t>> bound_of(const Predicate& p) {
    const Fact* fact = only_fact(p, Relation::at_most);
    if (!fact) return std::nullopt;
    const Formula slack = fact->right - fact->left;
    std::int64_t constant = 0, factor = 0;
    std::string name;
    for (const auto& [atoms, c] : slack.terms()) {
        if (atoms.empty()) {
            constant = c;
            continue;
        }
        if (!name.empty() || atoms.size() != 1 || atoms[0]->kind != Kind::symbol || c < 0) return std::nullopt;
        name = atoms[0]->name;
        factor = c;
    }
    if (name.empty()) return std::nullopt;
    return std::pair(name, static_cast<std::int64_t>(ceil_div(Wide{-constant}, Wide{factor})));
}

std::optional<std::pair<std::string, Formula>> definition_of(const Predicate& p) {
    const Fact* fact = only_fact(p, Relation::equal);
    if (!fact) return std::nullopt;
    const Formula difference = fact->right - fact->left;
    for (const auto& [atoms, c] : difference.terms()) {
        if (atoms.size() != 1 || atoms[0]->kind != Kind::symbol || (c != 1 && c != -1)) continue;
        const std::string name = atoms[0]->name;
        const Formula rest = difference - Formula(c) * Formula(atoms[0]);
        if (!rest.symbols().contains(name)) return std::pair(name, c == 1 ? -rest : rest);
    }
    return std::nullopt;
}

}  // namespace halogen::shapes
