// Formulas with formulas or numbers put in for symbols. Parts that are shared are looked at once.

#include "frontend/base/checked.h"
#include "frontend/formula/formula.h"

#include <algorithm>
#include <unordered_map>

namespace halogen {

using Atom = Formula::Atom;

namespace {

constexpr int most_small = 8;  // atoms of an operation that is done anew wherever it stands

}  // namespace

/// One call of `substitute`, and what its larger operations have become.
class Formula::Substitution {
public:
    explicit Substitution(SymbolLookup values) : values_(values) {}

    Formula of(const Formula& f) {
        if (f.is_constant()) return f;
        Terms all;
        bool changed = false;
        for (const auto& [m, coefficient] : *f.terms_) {
            Formula product;
            Monomial::Atoms kept;
            bool term_changed = false;
            for (const auto& atom : m) {
                auto value = of(*atom);
                if (!value)
                    kept.push_back(atom);
                else
                    product = term_changed ? product * *value : std::move(*value);
                term_changed = term_changed || value.has_value();
            }
            if (!term_changed) {
                if (changed) all.emplace_back(m, coefficient);
                continue;
            }
            if (!changed)  // all terms before this one stay
                for (const auto& term : *f.terms_) {
                    if (&term.first == &m) break;
                    all.emplace_back(term);
                }
            changed = true;
            const Monomial others(std::move(kept));
            for (const auto& [n, c] : product.terms())
                all.emplace_back(times(n, others), narrow(multiply(c, coefficient)));
        }
        return changed ? from_any(std::move(all)) : f;
    }

private:
    /// What an atom becomes; nothing when no symbol in it is replaced.
    std::optional<Formula> of(const Atom& atom) {
        if (atom.kind == Atom::Kind::symbol) {
            const Formula* value = values_(atom.name);
            return value ? std::optional(*value) : std::nullopt;
        }
        if (atom.weight <= most_small) return anew(atom);
        const auto at = done_.find(&atom);
        return at != done_.end() ? at->second : done_.emplace(&atom, anew(atom)).first->second;
    }

    std::optional<Formula> anew(const Atom& atom) {
        const Formula a = of(atom.a), b = of(atom.b);
        if (&a.terms() == &atom.a.terms() && &b.terms() == &atom.b.terms()) return std::nullopt;
        return operation(atom.kind, a, b);
    }

    SymbolLookup values_;
    std::unordered_map<const Atom*, std::optional<Formula>> done_;
};

Formula Formula::substitute(SymbolLookup values) const { return Substitution(values).of(*this); }

Formula Formula::substitute(const std::map<std::string, Formula>& values) const {
    if (values.empty()) return *this;
    const auto look_up = [&](const std::string& name) -> const Formula* {
        const auto at = values.find(name);
        return at == values.end() ? nullptr : &at->second;
    };
    return substitute(look_up);
}

namespace {

class Evaluation {
public:
    explicit Evaluation(const Bindings& values) : values_(values) {}

    Wide of(const Formula& f) {
        Wide sum = 0;
        for (const auto& [m, coefficient] : f.terms()) {
            Wide product = coefficient;
            for (const auto& atom : m) product = multiply(product, of(*atom));
            sum = add(sum, product);
        }
        return sum;
    }

private:
    Wide of(const Atom& atom) {
        if (atom.kind == Atom::Kind::symbol) {
            const auto at = values_.find(atom.name);
            if (at == values_.end())
                throw Failure(Error{ErrorKind::underdetermined,
                                    "`" + atom.name + "` has no value",
                                    {},
                                    "",
                                    "set it: --set " + atom.name + "=INT"});
            return at->second;
        }
        if (atom.weight <= most_small) return anew(atom);
        const auto at = done_.find(&atom);
        return at != done_.end() ? at->second : done_.emplace(&atom, anew(atom)).first->second;
    }

    Wide anew(const Atom& atom) {
        const Wide a = of(atom.a), b = of(atom.b);
        if (atom.kind == Atom::Kind::min) return std::min(a, b);
        if (atom.kind == Atom::Kind::max) return std::max(a, b);
        if (b <= 0)
            throw Failure(Error{ErrorKind::contradictory,
                                "the divisor `" + print(atom.b) + "` is " + to_string(b),
                                {},
                                "",
                                "a divisor must be at least 1"});
        const Wide q = floor_div(a, b);
        return atom.kind == Atom::Kind::floor_div ? q : a - q * b;
    }

    const Bindings& values_;
    std::unordered_map<const Atom*, Wide> done_;
};

}  // namespace

std::int64_t evaluate(const Formula& f, const Bindings& values) { return narrow_extent(Evaluation(values).of(f)); }

}  // namespace halogen
