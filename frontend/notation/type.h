#pragma once
// Element types of the notation.

#include <optional>
#include <string>
#include <string_view>

namespace halogen {

enum class Type { f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, boolean };

std::string to_string(Type);                       // "f32", "bool"
std::optional<Type> parse_type(std::string_view);  // inverse of to_string
int bytes_of(Type);                                // 1, 2, 4 or 8
bool is_float(Type);
bool is_integer(Type);  // the i and u types; not bool
bool is_signed(Type);   // floats and the i types
/// The type values of `t` are computed in: f32 for f16 and bf16, else `t`.
Type compute_type(Type t);

}  // namespace halogen
