#pragma once
// Numbers that kernels take beside tensors, in the form compiled code reads them.

#include "element.h"

#include <bit>
#include <cstdint>

namespace halogen::detail {

/// Rounds to the nearest bfloat16, ties to even. NaN stays NaN.
constexpr bfloat16 to_bfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
    return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

/// Rounds to the nearest IEEE half, ties to even; past 65504 to infinity. NaN stays NaN.
constexpr float16 to_float16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
    if (magnitude >= 0x47800000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};  // 2^16 and above
    if (magnitude < 0x33000000u) return {static_cast<std::uint16_t>(sign)};  // below half the least subnormal
    const std::uint32_t exponent = magnitude >> 23;
    // Normal halves drop 13 bits of the mantissa; subnormal ones (exponent below 113) more.
    const std::uint32_t drop = exponent < 113 ? 126 - exponent : 13;
    const std::uint32_t mantissa = exponent < 113 ? (magnitude & 0x7fffffu) | 0x800000u : magnitude - (112u << 23);
    const std::uint32_t half = 1u << (drop - 1), kept = mantissa >> drop;
    const std::uint32_t rest = mantissa & ((1u << drop) - 1);
    return {static_cast<std::uint16_t>(sign | (kept + (rest > half || (rest == half && (kept & 1u)) ? 1u : 0u)))};
}

/// What an options struct holds for a scalar: float for the 16-bit floats.
template<Element E>
struct ScalarOption {
    using type = StoredType<E>;
};
template<>
struct ScalarOption<Element::f16> {
    using type = float;
};
template<>
struct ScalarOption<Element::bf16> {
    using type = float;
};

template<Element E>
constexpr StoredType<E> stored_scalar(typename ScalarOption<E>::type value) {
    if constexpr (E == Element::f16)
        return to_float16(value);
    else if constexpr (E == Element::bf16)
        return to_bfloat16(value);
    else
        return value;
}

}  // namespace halogen::detail
