#pragma once
// Conditions on sizes as values: they are decided, printed, negated, evaluated, and handed to the exact System.

#include "frontend/formula/formula.h"
#include "frontend/formula/sign.h"
#include "frontend/integers/system.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen::shapes {

/// A condition on sizes: all facts of one of its alternatives hold. Example: `n == m or n == 1 or m == 1`.
/// What numbers decide is decided when it is made.
class Predicate {
public:
    using Facts = std::vector<Fact>;

    /// True or false, whatever the sizes.
    Predicate(bool value) : known_(value) {}
    explicit Predicate(Fact);
    explicit Predicate(std::vector<Facts> alternatives);

    /// The truth where numbers alone decide it; else nothing.
    std::optional<bool> known() const { return known_; }
    const std::vector<Facts>& alternatives() const { return alternatives_; }
    /// The fact it was made from first: what a message shows.
    const std::optional<Fact>& shown() const { return shown_; }

    friend Predicate operator||(Predicate, const Predicate&);
    friend Predicate operator&&(const Predicate&, const Predicate&);
    friend Predicate operator!(const Predicate&);
    friend bool operator==(const Predicate&, const Predicate&);
    friend bool operator<(const Predicate&, const Predicate&);  // a total order without meaning, for containers

    /// Sizes replaced, and decided anew.
    Predicate substitute(SymbolLookup) const;

private:
    std::optional<bool> known_;
    std::vector<Facts> alternatives_;
    std::optional<Fact> shown_;
    friend Predicate divides(const Formula&, const Formula&);
    friend std::string print_failure(const Predicate&);
    bool shows_multiple_ = false;  // shown_ says that its left side divides its right side
};

Predicate equal(const Formula&, const Formula&);
Predicate differ(const Formula&, const Formula&);
Predicate at_least(const Formula& value, const Formula& least);
Predicate at_most(const Formula& value, const Formula& most);
/// `value` is a multiple of `divisor`, which is positive.
Predicate divides(const Formula& divisor, const Formula& value);

/// The truth as far as the signs of differences tell it, from lower bounds of the symbols. Sound, not complete.
std::optional<bool> decide(const Predicate&, const LowerBounds&);
/// The predicate without the alternatives that cannot hold and the facts that always do.
Predicate simplify(const Predicate&, const LowerBounds&);

/// Errors: as `evaluate`.
bool holds(const Predicate&, const Bindings&);
/// Adds it to a system as relation number `source`.
void add_to(System&, const Predicate&, int source);

/// "n == m or n == 1 or m == 1".
std::string print(const Predicate&);
/// How the fact shown fails: "3 is not 4", "2 is less than 3".
std::string print_failure(const Predicate&);

}  // namespace halogen::shapes
