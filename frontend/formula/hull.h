#pragma once
// The exact hull of an access: the least and the largest value of an expression over a box of indices.

#include "frontend/formula/formula.h"
#include "frontend/formula/sign.h"

#include <map>
#include <optional>
#include <string>

namespace halogen {

/// Values from `low` to `high`; both are reached where it is exact.
struct Hull {
    Formula low, high;
    bool exact = true;

    /// How many values there are from `low` to `high`.
    Formula extent() const { return high - low + Formula(1); }
    friend bool operator==(const Hull&, const Hull&) = default;
};
/// First and last value of each index.
using Box = std::map<std::string, Hull>;

/// The hull of `f` over `box`; symbols outside the box are constants. Exact when no index stands in two terms that pull
/// in opposite directions; otherwise it contains all values. A coefficient of unknown sign gives min and max.
Hull hull_of(const Formula& f, const Box& box, const LowerBounds& = {});

/// What a place may reach: its hull. No formula may give the least of abs(e), of `abs(2*i - 3*j)`; 0 stands for it, below which there is
/// no element, and the largest is exact where that of e and of -e is. So it is of max(d, e), whose least is above 0 or at it.
Hull reach_of(const Formula& place, const Box& box, const LowerBounds& = {});

}  // namespace halogen
