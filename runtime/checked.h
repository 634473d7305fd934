#pragma once
// Integers for size formulas: 64 bits, where a result past 2^62 or a division by what is not positive is remembered
// instead of going wrong. Generated headers compute every formula and guard with them.

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace halogen::detail {

/// A number, or nothing: what went wrong once stays wrong in all that is computed from it.
class Int {
public:
    constexpr Int() = default;
    constexpr Int(std::int64_t value) : value_(value), valid_(value >= -limit && value <= limit) {}

    /// No number.
    static constexpr Int nothing() {
        Int none;
        none.valid_ = false;
        return none;
    }

    constexpr bool valid() const { return valid_; }
    constexpr std::int64_t value() const { return value_; }

    friend constexpr Int operator+(Int a, Int b) {
        std::int64_t sum = 0;
        const bool fits = !__builtin_add_overflow(a.value_, b.value_, &sum);
        return checked(sum, fits && a.valid_ && b.valid_);
    }
    friend constexpr Int operator-(Int a, Int b) {
        std::int64_t difference = 0;
        const bool fits = !__builtin_sub_overflow(a.value_, b.value_, &difference);
        return checked(difference, fits && a.valid_ && b.valid_);
    }
    friend constexpr Int operator*(Int a, Int b) {
        std::int64_t product = 0;
        const bool fits = !__builtin_mul_overflow(a.value_, b.value_, &product);
        return checked(product, fits && a.valid_ && b.valid_);
    }
    friend constexpr Int operator-(Int a) { return Int(0) - a; }

    /// The quotient rounded down; the divisor must be positive.
    friend constexpr Int floor_div(Int a, Int b) {
        if (!a.valid_ || !b.valid_ || b.value_ <= 0) return nothing();
        return Int(a.value_ / b.value_ - (a.value_ % b.value_ < 0 ? 1 : 0));
    }
    /// The remainder, never negative; the divisor must be positive.
    friend constexpr Int remainder(Int a, Int b) {
        if (!a.valid_ || !b.valid_ || b.value_ <= 0) return nothing();
        const std::int64_t r = a.value_ % b.value_;
        return Int(r < 0 ? r + b.value_ : r);
    }
    friend constexpr Int min(Int a, Int b) { return choose(a, b, a.value_ < b.value_); }
    friend constexpr Int max(Int a, Int b) { return choose(a, b, a.value_ > b.value_); }

    /// Comparisons hold only between numbers.
    friend constexpr bool equal(Int a, Int b) { return a.valid_ && b.valid_ && a.value_ == b.value_; }
    friend constexpr bool less_equal(Int a, Int b) { return a.valid_ && b.valid_ && a.value_ <= b.value_; }
    /// `a` divides `b`; only a positive number divides.
    friend constexpr bool divides(Int a, Int b) {
        return a.valid_ && b.valid_ && a.value_ > 0 && b.value_ % a.value_ == 0;
    }

private:
    static constexpr std::int64_t limit = std::int64_t{1} << 62;
    static constexpr Int checked(std::int64_t value, bool valid) { return valid ? Int(value) : nothing(); }
    static constexpr Int choose(Int a, Int b, bool first) { return a.valid_ && b.valid_ ? (first ? a : b) : nothing(); }

    std::int64_t value_ = 0;
    bool valid_ = true;
};

constexpr std::optional<std::int64_t> number(Int value) {
    return value.valid() ? std::optional(value.value()) : std::nullopt;
}

/// The largest and the smallest of those that are numbers; nothing when none is.
constexpr Int largest(std::initializer_list<Int> all) {
    Int most = Int::nothing();
    for (const Int& i : all)
        if (i.valid()) most = most.valid() ? max(most, i) : i;
    return most;
}
constexpr Int smallest(std::initializer_list<Int> all) {
    Int least = Int::nothing();
    for (const Int& i : all)
        if (i.valid()) least = least.valid() ? min(least, i) : i;
    return least;
}

}  // namespace halogen::detail
