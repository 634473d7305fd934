#pragma once
// Element types of tensors, and which C++ type holds each.

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace Eigen {
struct half;
struct bfloat16;
}  // namespace Eigen

namespace halogen {

/// Element types by their names in the notation.
enum class Element : std::uint8_t { f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, boolean, unknown };

constexpr const char* to_string(Element e) {
    constexpr const char* names[] = {"f64", "f32", "f16", "bf16", "i8",   "i16",    "i32",
                                     "i64", "u8",  "u16", "u32",  "bool", "unknown"};
    return names[static_cast<int>(e)];
}

constexpr int bytes_of(Element e) {
    constexpr int bytes[] = {8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 1, 1};
    return bytes[static_cast<int>(e)];
}

/// Storage of the 16-bit floats for those who do not use Eigen's: the bits, no arithmetic.
struct float16 {
    std::uint16_t bits = 0;
};
struct bfloat16 {
    std::uint16_t bits = 0;
};

/// The element type a C++ type holds; `unknown` for one no tensor can have.
template<typename T>
constexpr Element element_of() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::same_as<U, double>)
        return Element::f64;
    else if constexpr (std::same_as<U, float>)
        return Element::f32;
    else if constexpr (std::same_as<U, bool>)
        return Element::boolean;
    else if constexpr (std::same_as<U, float16> || std::same_as<U, Eigen::half>)
        return Element::f16;
    else if constexpr (std::same_as<U, bfloat16> || std::same_as<U, Eigen::bfloat16>)
        return Element::bf16;
#if defined(__FLT16_MANT_DIG__)
    else if constexpr (std::same_as<U, _Float16>)
        return Element::f16;
#endif
    else if constexpr (std::same_as<U, char> || std::same_as<U, wchar_t> || !std::integral<U>)
        return Element::unknown;
    else if constexpr (std::is_signed_v<U>) {
        return sizeof(U) == 1   ? Element::i8
               : sizeof(U) == 2 ? Element::i16
               : sizeof(U) == 4 ? Element::i32
                                : Element::i64;
    } else {
        return sizeof(U) == 1   ? Element::u8
               : sizeof(U) == 2 ? Element::u16
               : sizeof(U) == 4 ? Element::u32
                                : Element::unknown;
    }
}

namespace detail {
// clang-format off
template<Element> struct Stored;
template<> struct Stored<Element::f64> { using type = double; };
template<> struct Stored<Element::f32> { using type = float; };
template<> struct Stored<Element::f16> { using type = float16; };
template<> struct Stored<Element::bf16> { using type = bfloat16; };
template<> struct Stored<Element::i8> { using type = std::int8_t; };
template<> struct Stored<Element::i16> { using type = std::int16_t; };
template<> struct Stored<Element::i32> { using type = std::int32_t; };
template<> struct Stored<Element::i64> { using type = std::int64_t; };
template<> struct Stored<Element::u8> { using type = std::uint8_t; };
template<> struct Stored<Element::u16> { using type = std::uint16_t; };
template<> struct Stored<Element::u32> { using type = std::uint32_t; };
template<> struct Stored<Element::boolean> { using type = bool; };
// clang-format on
}  // namespace detail

/// The C++ type `make_output` uses for an element type.
template<Element E>
using StoredType = typename detail::Stored<E>::type;

}  // namespace halogen
