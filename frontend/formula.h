#pragma once
// Exact integer formulas over size symbols: polynomials whose atoms are symbols, floor divisions, remainders, min, max.
// Canonical: equal polynomials have one form, whatever the order they were built in. Never floating point.

#include "frontend/error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// Values for symbols, by name.
using Bindings = std::map<std::string, std::int64_t>;

class Formula {
public:
    /// One atom of a monomial: a symbol, or an operation that a polynomial cannot express.
    struct Atom;
    using AtomRef = std::shared_ptr<const Atom>;
    /// A monomial is a product of atoms, sorted, with repetition; a formula is their sum with non-zero coefficients.
    using Monomial = std::vector<AtomRef>;
    struct MonomialLess {
        bool operator()(const Monomial&, const Monomial&) const;
    };
    using Terms = std::vector<std::pair<Monomial, std::int64_t>>;  // sorted by MonomialLess

    Formula() = default;          // zero
    Formula(std::int64_t value);  // a constant
    explicit Formula(AtomRef atom);
    static Formula symbol(std::string name);

    bool is_constant() const;
    std::optional<std::int64_t> constant() const;
    std::optional<std::string> as_symbol() const;  // the name, when the formula is one symbol
    const Terms& terms() const { return terms_; }
    std::set<std::string> symbols() const;

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
    Formula substitute(const std::function<const Formula*(const std::string&)>& value) const;

private:
    static Formula from_sorted(Terms);
    static Formula from_any(Terms);

    Terms terms_;
};

struct Formula::Atom {
    enum class Kind { symbol, floor_div, remainder, min, max };
    Kind kind;
    std::string name;  // of a symbol
    Formula a, b;      // operands of the others
};

/// Errors: Failure(underdetermined) for a symbol without a value, Failure(overflow) past 2^62, Failure(contradictory) for a divisor <= 0.
std::int64_t evaluate(const Formula&, const Bindings&);

/// As a person would write it: `(H + 2*P - D*(R - 1) - 1)/T + 1`. Parses in the notation (`/` floors, `%` is never negative).
std::string print(const Formula&);

}  // namespace halogen
