#pragma once
// Exact fractions and closed ranges of them, for the solver's bounds.

#include "frontend/base/checked.h"

#include <optional>

namespace halogen {

/// num/den in lowest terms, den > 0.
struct Rational {
    Wide num = 0, den = 1;

    Rational() = default;
    Rational(Wide value) : num(value) {}
    Rational(Wide n, Wide d) : num(n), den(d) {
        if (den == 1) return;
        if (den < 0) num = -num, den = -den;
        const Wide g = gcd(num, den);
        if (g > 1) num /= g, den /= g;
    }
    bool is_integer() const { return den == 1; }
    Wide floor() const { return den == 1 ? num : floor_div(num, den); }
    Wide ceil() const { return den == 1 ? num : ceil_div(num, den); }

    friend Rational operator+(const Rational& a, const Rational& b) {
        if (a.den == 1 && b.den == 1) return add(a.num, b.num);
        return {add(multiply(a.num, b.den), multiply(b.num, a.den)), multiply(a.den, b.den)};
    }
    friend Rational operator-(const Rational& a) { return {-a.num, a.den}; }
    friend Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
    friend Rational operator*(const Rational& a, const Rational& b) {
        return {multiply(a.num, b.num), multiply(a.den, b.den)};
    }
    friend Rational operator/(const Rational& a, const Rational& b) {
        return {multiply(a.num, b.den), multiply(a.den, b.num)};
    }
    friend bool operator==(const Rational& a, const Rational& b) { return a.num == b.num && a.den == b.den; }
    friend bool operator<(const Rational& a, const Rational& b) {
        if (a.den == 1 && b.den == 1) return a.num < b.num;
        return multiply(a.num, b.den) < multiply(b.num, a.den);
    }
    friend bool operator<=(const Rational& a, const Rational& b) { return !(b < a); }
};

/// [lo, hi]; an absent end is unbounded.
struct Range {
    std::optional<Rational> lo, hi;

    bool is_empty() const { return lo && hi && *hi < *lo; }
    bool is_point() const { return lo && hi && *lo == *hi; }
    /// True when it changed.
    bool intersect(const Range& other) {
        bool changed = false;
        if (other.lo && (!lo || *lo < *other.lo)) lo = other.lo, changed = true;
        if (other.hi && (!hi || *other.hi < *hi)) hi = other.hi, changed = true;
        return changed;
    }
    /// The least range that holds both.
    void unite(const Range& other) {
        if (lo && (!other.lo || *other.lo < *lo)) lo = other.lo;
        if (hi && (!other.hi || *hi < *other.hi)) hi = other.hi;
    }
    Range shrunk_to_integers() const {
        Range r = *this;
        if (r.lo) r.lo = Rational(r.lo->ceil());
        if (r.hi) r.hi = Rational(r.hi->floor());
        return r;
    }
    friend bool operator==(const Range&, const Range&) = default;
};

inline Range operator+(const Range& a, const Range& b) {
    Range r;
    if (a.lo && b.lo) r.lo = *a.lo + *b.lo;
    if (a.hi && b.hi) r.hi = *a.hi + *b.hi;
    return r;
}

inline Range operator*(const Rational& c, const Range& a) {
    Range r;
    if (a.lo) r.lo = c * *a.lo;
    if (a.hi) r.hi = c * *a.hi;
    if (c < Rational(0)) std::swap(r.lo, r.hi);
    return r;
}

}  // namespace halogen
