#pragma once
// Boxes of integers: products of closed intervals whose ends may be formulas.

#include "frontend/formula/formula.h"
#include "frontend/formula/sign.h"

#include <optional>
#include <vector>

namespace halogen {

struct ClosedInterval {
    Formula low, high;
    friend bool operator==(const ClosedInterval&, const ClosedInterval&) = default;
};
using IndexBox = std::vector<ClosedInterval>;

/// How one box lies to another; `unknown` where the signs of differences are.
enum class Overlap { equal, contains, contained, partial, none, unknown };
Overlap overlap(const IndexBox& a, const IndexBox& b, const LowerBounds& = {});

/// Disjoint boxes that hold what is left of `a` without `b`; nothing where signs are unknown.
std::optional<std::vector<IndexBox>> subtract(const IndexBox& a, const IndexBox& b, const LowerBounds& = {});
/// The least box that holds both.
IndexBox hull(const IndexBox& a, const IndexBox& b, const LowerBounds& = {});

}  // namespace halogen
