#pragma once
// Bounds of one symbol: the largest or the least value for which a formula keeps a sign.

#include "frontend/formula/formula.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// The largest v with f(v) <= 0, as a formula of the rest; nothing when f does not bound v from above or v cannot be
/// isolated. Coefficients of v that are not constant are taken as positive and added to `positive`.
std::optional<Formula> largest_with_nonpositive(const Formula& f, const std::string& v, std::vector<Formula>& positive);

/// The least v with f(v) >= 0; nothing when f does not bound v from below or v cannot be isolated.
std::optional<Formula> least_with_nonnegative(const Formula& f, const std::string& v, std::vector<Formula>& positive);

/// True when the symbol stands in the formula.
bool mentions(const Formula& f, const std::string& symbol);

}  // namespace halogen
