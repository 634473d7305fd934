#pragma once
// Polynomials over numbered unknowns with 128-bit coefficients: the rows of the numeric solver.

#include "frontend/base/rational.h"

#include <utility>
#include <vector>

namespace halogen {

/// Unknowns of a product, sorted, with repetition; never empty in a term.
using Product = std::vector<int>;

struct Poly {
    std::vector<std::pair<Product, Wide>> terms;  // sorted by product, no zero coefficient
    Wide constant = 0;

    static Poly number(Wide c) { return {{}, c}; }
    static Poly unknown(int x) { return {{{{x}, 1}}, 0}; }
    bool is_linear() const;
    /// The coefficient of the product that is `x` alone.
    Wide linear_coefficient(int x) const;
    bool holds(int x) const;
    friend bool operator==(const Poly&, const Poly&) = default;
};

Poly operator+(const Poly&, const Poly&);
Poly operator*(const Poly&, const Poly&);
Poly operator*(Wide, const Poly&);
inline Poly operator-(const Poly& a, const Poly& b) { return a + Wide(-1) * b; }

/// p with x := value/denominator, times denominator to the power `power`, the highest power of x in p.
Poly substitute(const Poly& p, int x, const Poly& value, Wide denominator, int& power);

}  // namespace halogen
