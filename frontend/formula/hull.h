#pragma once
// The exact hull of an access: the least and the largest value of an expression over a box of indices.

#include "frontend/formula/formula.h"
#include "frontend/formula/sign.h"

#include <map>
#include <optional>
#include <string>

namespace halogen {

/// Values from `low` to `high`, both reached.
struct Hull {
    Formula low, high;
};
/// First and last value of each index.
using Box = std::map<std::string, Hull>;

/// The hull of `f` over `box`; symbols outside the box are constants. Exact when no index stands in two terms that pull
/// in opposite directions; otherwise it contains all values. A coefficient of unknown sign gives min and max.
Hull hull_of(const Formula& f, const Box& box, const LowerBounds& = {});

/// The largest v with f(v) <= 0, as a formula of the rest; nothing when f does not bound v from above or v cannot be
/// isolated. Coefficients of v that are not constant are taken as positive and added to `positive`.
std::optional<Formula> largest_with_nonpositive(const Formula& f, const std::string& v, std::vector<Formula>& positive);

/// The least v with f(v) >= 0; nothing when f does not bound v from below or v cannot be isolated.
std::optional<Formula> least_with_nonnegative(const Formula& f, const std::string& v, std::vector<Formula>& positive);

/// True when the symbol stands in the formula.
bool mentions(const Formula& f, const std::string& symbol);

}  // namespace halogen
