#pragma once
// Small integer problems by enumeration: every point of a cube.

#include "frontend/integers/poly.h"

#include <functional>
#include <vector>

namespace halogen::test {

using Point = std::vector<std::int64_t>;

/// Calls `visit` at every point of [low, high]^unknowns.
inline void each_point(int unknowns, std::int64_t low, std::int64_t high,
                       const std::function<void(const Point&)>& visit) {
    Point at(unknowns, low);
    for (;;) {
        visit(at);
        int x = 0;
        while (x < unknowns && at[x] == high) at[x++] = low;
        if (x == unknowns) return;
        ++at[x];
    }
}

/// The value of a polynomial at a point; unknowns past its end are 0.
inline Wide value_at(const Poly& p, const Point& at) {
    Wide sum = p.constant;
    for (const auto& [product, c] : p.terms) {
        Wide term = c;
        for (const int x : product) term *= x < static_cast<int>(at.size()) ? at[x] : 0;
        sum += term;
    }
    return sum;
}

/// c0*x0 + c1*x1 + … + constant
inline Poly linear(const std::vector<int>& factors, int constant) {
    Poly p = Poly::number(constant);
    for (std::size_t x = 0; x < factors.size(); ++x) p = p + Wide(factors[x]) * Poly::unknown(static_cast<int>(x));
    return p;
}

}  // namespace halogen::test
