#pragma once
// Boxes of integers: products of closed intervals whose ends may be formulas.

#include "frontend/formula/hull.h"

#include <optional>
#include <vector>

namespace halogen {

using IndexBox = std::vector<Hull>;  // an interval per dim

/// How one box lies to another; `unknown` where the signs of differences are.
enum class Overlap { equal, contains, contained, partial, none, unknown };
Overlap overlap(const IndexBox& a, const IndexBox& b, const LowerBounds& = {});

/// Disjoint boxes that hold what is left of `a` without `b`; nothing where signs are unknown.
std::optional<std::vector<IndexBox>> subtract(const IndexBox& a, const IndexBox& b, const LowerBounds& = {});
/// The least box that holds both.
IndexBox hull(const IndexBox& a, const IndexBox& b, const LowerBounds& = {});

}  // namespace halogen
