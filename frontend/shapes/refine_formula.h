#pragma once
// Extents under facts: what least values of sizes, and sizes that are equal, decide in a formula.

#include "frontend/shapes/operand.h"
#include "frontend/shapes/predicate.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace halogen::shapes {

/// `f` with each min and max that the least values decide replaced by the operand it is. Example: max(n, 1) is n for n >= 1.
Formula refined(const Formula& f, const LowerBounds& least);

/// The bound a condition puts on one size alone: h >= 3 for `h - 3 >= 0`. Nothing for other conditions.
std::optional<std::pair<std::string, std::int64_t>> bound_of(const Predicate&);

/// The size that an equation gives, and its formula: (j, k) for `k == j`. Nothing where none stands alone.
std::optional<std::pair<std::string, Formula>> definition_of(const Predicate&);

}  // namespace halogen::shapes
