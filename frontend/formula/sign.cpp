#include "frontend/formula/sign.h"

#include "frontend/formula/rules.h"

#include <algorithm>

namespace halogen {

namespace {

using Atom = Formula::Atom;

bool look_at_sign(const Atom& atom) {
    const auto known = [](const Formula& f) { return is_nonnegative(f); };
    return std::ranges::any_of(
        sign_rules(), [&](const SignRule& rule) { return rule.operation == atom.kind && rule.apply(atom, known); });
}

/// Looked at once for each operation.
bool atom_is_nonnegative(const Atom& atom) {
    if (atom.kind == Atom::Kind::symbol) return true;
    if (atom.sign == 0) atom.sign = look_at_sign(atom) ? 1 : -1;
    return atom.sign > 0;
}

/// Formulas no larger than `f`, each with one operation of `f` gone by a rule: c*max(a, b) gives c*a and c*b.
std::vector<Formula> smaller_forms(const Formula& f) {
    std::vector<Formula> all, forms;
    for (const auto& [m, c] : f.terms()) {
        for (std::size_t i = 0; i < m.size(); ++i) {
            const Atom& atom = *m[i];
            if (atom.kind == Atom::Kind::symbol) continue;
            Formula factor = c;
            bool others_nonnegative = true;
            for (std::size_t j = 0; j < m.size(); ++j) {
                if (j == i) continue;
                factor = factor * Formula(m[j]);
                others_nonnegative = others_nonnegative && atom_is_nonnegative(*m[j]);
            }
            if (!others_nonnegative) continue;
            forms.clear();
            std::ranges::any_of(lower_forms(), [&, falls = c < 0](const LowerForm& rule) {
                return rule.operation == atom.kind && rule.falls == falls &&
                       rule.apply(factor, atom, atom_is_nonnegative, forms);
            });
            const Formula rest = f - factor * Formula(m[i]);
            for (const Formula& form : forms) all.push_back(rest + form);
        }
    }
    return all;
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

namespace {

/// The operands of nested atoms of one kind.
void add_operands(Atom::Kind kind, const Formula& f, std::vector<Formula>& into) {
    const Atom* atom = f.as_atom();
    if (!atom || atom->kind != kind) return into.push_back(f);
    add_operands(kind, atom->a, into);
    add_operands(kind, atom->b, into);
}

/// min or max without the operands that another one surely beats.
Formula extreme(Atom::Kind kind, const Formula& a, const Formula& b, const LowerBounds& bounds) {
    const auto beats = [&](const Formula& x, const Formula& y) {
        return is_nonnegative(kind == Atom::Kind::max ? x - y : y - x, bounds);
    };
    if (beats(a, b)) return a;
    if (beats(b, a)) return b;
    std::vector<Formula> all, kept;
    add_operands(kind, a, all);
    add_operands(kind, b, all);
    for (const Formula& f : all) {
        if (std::any_of(kept.begin(), kept.end(), [&](const Formula& k) { return beats(k, f); })) continue;
        std::erase_if(kept, [&](const Formula& k) { return beats(f, k); });
        kept.push_back(f);
    }
    Formula result = kept.front();
    for (const Formula& f : kept) result = operation(kind, result, f);
    return result;
}

}  // namespace

Formula larger(const Formula& a, const Formula& b, const LowerBounds& bounds) {
    return extreme(Atom::Kind::max, a, b, bounds);
}

Formula smaller(const Formula& a, const Formula& b, const LowerBounds& bounds) {
    return extreme(Atom::Kind::min, a, b, bounds);
}

std::vector<Formula> conjuncts(const Formula& slack) {
    for (const auto& [m, c] : slack.terms()) {
        if (m.size() != 1) continue;
        const auto& atom = *m[0];
        const bool both = c > 0 ? atom.kind == Formula::Atom::Kind::min : atom.kind == Formula::Atom::Kind::max;
        if (!both) continue;
        const Formula rest = slack - Formula(c) * Formula(m[0]);
        auto parts = conjuncts(rest + Formula(c) * atom.a);
        for (auto& p : conjuncts(rest + Formula(c) * atom.b)) parts.push_back(std::move(p));
        return parts;
    }
    return {slack};
}

}  // namespace halogen
