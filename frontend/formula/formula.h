#pragma once
// Exact integer formulas over size symbols: polynomials whose atoms are symbols, floor divisions, remainders, min, max.
// Canonical: equal polynomials have one form, whatever the order they were built in. Never floating point.

#include "frontend/base/error.h"
#include "frontend/base/small_vector.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halogen {

class Formula;

/// A function of a name that gives a formula or null; it lives no longer than the call it is passed to.
class SymbolLookup {
public:
    template<typename Lookup>
        requires std::is_invocable_r_v<const Formula*, const Lookup&, const std::string&>
    SymbolLookup(const Lookup& lookup)
        : lookup_(&lookup), call_([](const void* f, const std::string& name) {
              return static_cast<const Formula*>((*static_cast<const Lookup*>(f))(name));
          }) {}
    const Formula* operator()(const std::string& name) const { return call_(lookup_, name); }

private:
    const void* lookup_;
    const Formula* (*call_)(const void*, const std::string&);
};

/// Values for symbols, by name.
using Bindings = std::map<std::string, std::int64_t>;

class Formula {
public:
    /// One atom of a monomial: a symbol, or an operation that a polynomial cannot express.
    struct Atom;
    using AtomRef = std::shared_ptr<const Atom>;
    /// A product of atoms, sorted, with repetition; 1 when empty. A formula is their sum with non-zero coefficients.
    class Monomial {
    public:
        using Atoms = SmallVector<AtomRef, 2>;
        Monomial() = default;
        Monomial(Atoms sorted) {
            if (!sorted.empty()) atoms_ = std::make_shared<const Atoms>(std::move(sorted));
        }
        std::size_t size() const { return atoms_ ? atoms_->size() : 0; }
        bool empty() const { return !atoms_; }
        const AtomRef* begin() const { return atoms_ ? atoms_->begin() : nullptr; }
        const AtomRef* end() const { return atoms_ ? atoms_->end() : nullptr; }
        const AtomRef& operator[](std::size_t i) const { return (*atoms_)[i]; }
        const AtomRef& front() const { return atoms_->front(); }
        bool is_same_object(const Monomial& other) const { return atoms_ == other.atoms_; }

    private:
        std::shared_ptr<const Atoms> atoms_;  // shared by copies; null for 1
    };
    struct AtomLess {
        bool operator()(const AtomRef&, const AtomRef&) const;
    };
    struct MonomialLess {
        bool operator()(const Monomial&, const Monomial&) const;
    };
    using Terms = SmallVector<std::pair<Monomial, std::int64_t>, 3>;  // sorted by MonomialLess

    Formula() = default;          // zero
    Formula(std::int64_t value);  // a constant
    explicit Formula(AtomRef atom);
    static Formula symbol(std::string name);
    /// factor * atoms; the atoms sorted as in any monomial.
    static Formula term(Monomial atoms, std::int64_t factor);

    bool is_constant() const;
    std::optional<std::int64_t> constant() const;
    const Atom* as_atom() const;                   // the atom, when the formula is one and nothing else
    std::optional<std::string> as_symbol() const;  // the name, when the formula is one symbol
    bool is_symbol(const std::string& name) const;
    const Terms& terms() const { return terms_ ? *terms_ : no_terms(); }
    std::set<std::string> symbols() const;
    /// Calls `visit(const std::string&)` on the name of every symbol, at least once.
    template<typename Visit>
    void for_each_symbol(Visit&& visit) const;

    /// Errors: Failure(overflow) when a coefficient leaves 64 bits.
    friend Formula operator+(const Formula&, const Formula&);
    friend Formula operator-(const Formula&, const Formula&);
    friend Formula operator*(const Formula&, const Formula&);
    friend Formula operator-(const Formula&);
    friend Formula floor_div(const Formula&, const Formula&);
    friend Formula remainder(const Formula&, const Formula&);  // never negative
    friend Formula ceil_div(const Formula&, const Formula&);   // written by floor_div
    friend Formula min(const Formula&, const Formula&);
    friend Formula max(const Formula&, const Formula&);
    friend bool operator==(const Formula&, const Formula&);
    friend bool operator<(const Formula&, const Formula&);  // a total order without meaning, for containers

    /// Replaces symbols; simplifies.
    Formula substitute(const std::map<std::string, Formula>&) const;
    /// Likewise; `value` gives the formula of a symbol, or null to keep it.
    Formula substitute(SymbolLookup value) const;

private:
    class Substitution;
    static Formula from_sorted(std::shared_ptr<Terms>);
    static Formula from_any(Terms);
    static Monomial times(const Monomial&, const Monomial&);
    static const Terms& no_terms();

    std::shared_ptr<const Terms> terms_;  // shared by copies; null for zero
};

/// Operations are made once (intern.cpp), so that formulas that share parts may be nested deeply: whatever walks one looks
/// at each part once.
struct Formula::Atom {
    enum class Kind { symbol, floor_div, remainder, min, max };
    Kind kind;
    std::string name;              // of a symbol
    Formula a, b;                  // operands of the others
    std::uint64_t begin = 0;       // of a symbol: its first eight letters, which mostly tell it from others
    std::uint64_t hash = 0;        // equal atoms have one hash
    std::vector<AtomRef> symbols;  // of an operation: those in its operands, each once
    int weight = 1;                // how many atoms stand in it, written out; no more than `heaviest`
    mutable std::atomic<signed char> sign =
        0;  // what sign.cpp found: 1 never negative, -1 not known to be, 0 not asked

    static constexpr int heaviest = 1 << 20;

    /// The operation as it is, not simplified: equal ones share one object for as long as it is in use, so that comparing them
    /// costs nothing and a formula with shared parts stays as small as the parts. Each thread has its own.
    static AtomRef operation(Kind, const Formula& a, const Formula& b);
};

/// The operation of an atom that is no symbol, on other operands.
Formula operation(Formula::Atom::Kind, const Formula& a, const Formula& b);

template<typename Visit>
void Formula::for_each_symbol(Visit&& visit) const {
    for (const auto& [atoms, factor] : terms()) {
        for (const auto& atom : atoms) {
            if (atom->kind == Atom::Kind::symbol) {
                visit(atom->name);
            } else {
                for (const auto& symbol : atom->symbols) visit(symbol->name);
            }
        }
    }
}

/// Errors: Failure(underdetermined) for a symbol without a value, Failure(overflow) past 2^62, Failure(contradictory) for a divisor <= 0.
std::int64_t evaluate(const Formula&, const Bindings&);

/// As a person would write it: `(H + 2*P - D*(R - 1) - 1)/T + 1`. Parses in the notation (`/` floors, `%` is never negative).
/// An operation of more than 4000 atoms, as long chains make them, is left out: `(…)`.
std::string print(const Formula&);

}  // namespace halogen
