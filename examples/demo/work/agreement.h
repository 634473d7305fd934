#pragma once
// How far two results may lie apart. Nothing here is tuned: every bound follows from the number of roundings.
//
// A sum of n products in floats, added in any order, fused or not, lies within g(n) sum|a_i b_i| of the exact one, with
// g(n) = n u / (1 - n u) and u = 2^-24 (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1).
// Halogen and Eigen each stay within it, so they lie within twice that of one another.

#include "halogen/view.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace halogen::demo {

inline constexpr double unit_roundoff = 1.0 / 16777216;  // 2^-24

inline double rounding(double n) { return n * unit_roundoff / (1 - n * unit_roundoff); }

/// The same for magnitudes that were themselves summed in floats.
inline double rounding_from_magnitudes(double n) { return rounding(n) * (1 + 2 * rounding(n)); }

struct Agreement {
    double difference = 0, bound = 0;  // the largest difference, and what that element may differ by
    double share = 0;                  // the largest share of its bound that any element uses; above 1: too far apart
    std::int64_t elements = 0, outside = 0;  // all; those beyond their bound
};

/// Compares dense results; `bound(i)` is what element i may differ by.
template<typename T, int Rank, typename Bound>
Agreement compare(const Array<T, Rank>& got, const Array<T, Rank>& expected, Bound&& bound) {
    Agreement a;
    a.elements = got.size();
    a.difference = -1;
    for (std::int64_t i = 0; i < a.elements; i++) {
        const double difference =
            std::abs(static_cast<double>(got.data()[i]) - static_cast<double>(expected.data()[i]));
        const double allowed = bound(i);
        const bool inside = difference <= allowed;  // false for NaN
        a.outside += !inside;
        if (difference > 0 || !inside)
            a.share = std::max(a.share, inside ? difference / allowed : std::max(1.0 + 1e-9, difference / allowed));
        if (difference > a.difference || std::isnan(difference)) {
            a.difference = difference;
            a.bound = allowed;
        }
    }
    return a;
}

}  // namespace halogen::demo
