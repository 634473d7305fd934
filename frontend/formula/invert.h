#pragma once
// Formulas backwards: for which values of one symbol a formula lies between two others.

#include "frontend/formula/formula.h"

#include <optional>
#include <string>

namespace halogen {

/// All values of a symbol from `least` to `most`. An end that is missing is open, or not known in closed form.
/// Evaluated where a divisor is not positive (a stride that nothing limits), an end is missing too.
struct Preimage {
    std::optional<Formula> least, most;
};

/// The values of `symbol` with `low <= f <= high`; both bounds are free of it, and every symbol is at least 1.
/// Where it stands in a divisor, the dividend is taken to be at least 0.
/// Nothing when `symbol` stands at places that cannot be brought together, or under a remainder.
/// Source: a monotone chain of sums, products and floor divisions is undone from the outside inwards;
/// floor(a/b) >= q is a >= b*q, floor(a/b) <= q is a <= b*q + b - 1.
std::optional<Preimage> preimage(const Formula& f, const std::string& symbol, const Formula& low, const Formula& high);

}  // namespace halogen
