#pragma once
// How far a kernel's floats may lie from the exact result. Every bound is derived here, once; none is tuned.
//
// Model. Each float operation gives the exact result times (1 + d), |d| <= u = 2^-24 (round to nearest). A sum of n
// products, added in any order and fused or not, differs from the exact one by at most g(n) sum|a_i||b_i| with
// g(n) = n u / (1 - n u): one rounding of each product, n - 1 of the additions, the first addition to 0 being exact.
// Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1 and problem 3.2.
// The references themselves are computed in double from the same inputs; their own error, 2^-29 of the bound, and all
// terms of second order are covered by writing 2^-23 (twice u) for u.
//
// Functions. exp, erf and rsqrt of Halide 21 are polynomials or divisions with a relative error of at most 5e-7
// (docs/halide.md); `function_error` is that number.

#include "tests/kernels/array.h"

#include <algorithm>
#include <limits>

namespace halogen::testing {

inline constexpr double epsilon = std::numeric_limits<float>::epsilon();  // 2^-23 = 2 u
inline constexpr double function_error = 5e-7;

/// What `roundings` float operations in a row do to a value, relatively: the factor g(n) above, with twice u.
inline double rounding(std::int64_t roundings) { return static_cast<double>(roundings) * epsilon; }

/// What a kernel must give: each element within `bound` of `value`. A bound of 0 asks for equality.
template<typename T, std::size_t rank_>
struct Expected {
    using Value = T;
    static constexpr std::size_t rank = rank_;

    Array<double, rank> value;
    Array<double, rank> bound;

    explicit Expected(const Extents<rank>& extents) : value(extents), bound(extents, 0.0) {}

    bool allows(double got, std::int64_t i) const {
        return got == value.values[i] || std::abs(got - value.values[i]) <= bound.values[i];
    }
};

/// |a|, element by element, in double.
template<typename T, std::size_t rank>
Array<double, rank> magnitude(const Array<T, rank>& a) {
    auto m = cast<double>(a);
    for (auto& v : m.values) v = std::abs(v);
    return m;
}

/// A sum of `terms` products per element, `value` from the operands and `magnitudes` from their absolute values.
template<std::size_t rank, typename Reference, typename... Operands>
Expected<float, rank> sum_of_products(std::int64_t terms, const std::int64_t (&extents)[rank], Reference&& reference,
                                      const Operands&... operands) {
    Expected<float, rank> e(std::to_array(extents));
    reference(e.value, cast<double>(operands)...);
    reference(e.bound, magnitude(operands)...);
    for (auto& b : e.bound.values) b *= rounding(terms);
    return e;
}

/// The same with a bound of 0: for whole numbers, whose sums are exact in f32 while they stay below 2^24.
template<typename T, std::size_t rank>
Expected<T, rank> exactly(Expected<T, rank> e) {
    std::fill(e.bound.values.begin(), e.bound.values.end(), 0.0);
    return e;
}

}  // namespace halogen::testing
