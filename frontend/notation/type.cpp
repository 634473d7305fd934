#include "frontend/notation/type.h"

#include <array>

namespace halogen {
namespace {

enum class Family { real, integer, boolean };

struct TypeRow {
    Type type;
    const char* name;
    int bytes;
    Family family;
    bool is_signed;
};

constexpr std::array<TypeRow, 12> rows{{
    {Type::f64, "f64", 8, Family::real, true},
    {Type::f32, "f32", 4, Family::real, true},
    {Type::f16, "f16", 2, Family::real, true},
    {Type::bf16, "bf16", 2, Family::real, true},
    {Type::i8, "i8", 1, Family::integer, true},
    {Type::i16, "i16", 2, Family::integer, true},
    {Type::i32, "i32", 4, Family::integer, true},
    {Type::i64, "i64", 8, Family::integer, true},
    {Type::u8, "u8", 1, Family::integer, false},
    {Type::u16, "u16", 2, Family::integer, false},
    {Type::u32, "u32", 4, Family::integer, false},
    {Type::boolean, "bool", 1, Family::boolean, false},
}};

const TypeRow& row(Type type) { return rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string to_string(Type type) { return row(type).name; }

std::optional<Type> parse_type(std::string_view name) {
    for (const TypeRow& r : rows)
        if (name == r.name) return r.type;
    return std::nullopt;
}

int bytes_of(Type type) { return row(type).bytes; }

bool is_float(Type type) { return row(type).family == Family::real; }

bool is_integer(Type type) { return row(type).family == Family::integer; }

bool is_signed(Type type) { return row(type).is_signed; }

Type compute_type(Type type) { return type == Type::f16 || type == Type::bf16 ? Type::f32 : type; }

}  // namespace halogen
