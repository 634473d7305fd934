#pragma once
// Formulas backwards: for which values of one symbol a formula keeps a sign, or lies between two others.

#include "frontend/formula/formula.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// The largest v with f(v) <= 0, as a formula of the rest; nothing when f does not bound v from above or v cannot be
/// isolated. Coefficients of v that are not constant are taken as positive and added to `positive`.
std::optional<Formula> largest_with_nonpositive(const Formula& f, const std::string& v, std::vector<Formula>& positive);

/// A bound that does not always hold: of `min(v, 4) <= N - 1` it is N - 1, but where N is at least 5 there is none.
struct ConditionalBound {
    Formula value;
    std::vector<Formula> unless;  // where one of these is not negative, f does not bound v
    bool decides = true;          // without a bound f(v) <= 0 holds whatever v is; else that is still to be asked
};

/// Likewise, where there is a bound for some values of the rest. Nothing is taken as positive: a coefficient of v below 1 is
/// one more case without a bound.
std::optional<ConditionalBound> largest_where_bounded(const Formula& f, const std::string& v);

/// The least v with f(v) >= 0; nothing when f does not bound v from below or v cannot be isolated.
std::optional<Formula> least_with_nonnegative(const Formula& f, const std::string& v, std::vector<Formula>& positive);

/// All values of a symbol from `least` to `most`. An end that is missing is open, or not known in closed form.
/// Evaluated where a divisor is not positive (a stride that nothing limits), an end is missing too.
struct Preimage {
    std::optional<Formula> least, most;
};

/// The values of `v` with `low <= f <= high`: for H/T + 1 between N and N they are T*(N - 1) to T*N - 1. Both bounds are free
/// of it, and every symbol is at least 1. Where it stands in a divisor, the dividend is taken to be at least 0.
/// Nothing when `v` stands at places that cannot be brought together, or under a remainder.
/// Source: a monotone chain of sums, products and floor divisions is undone from the outside inwards;
/// floor(a/b) >= q is a >= b*q, floor(a/b) <= q is a <= b*q + b - 1.
std::optional<Preimage> preimage(const Formula& f, const std::string& v, const Formula& low, const Formula& high);

/// True when the symbol stands in the formula.
bool mentions(const Formula& f, const std::string& symbol);

}  // namespace halogen
