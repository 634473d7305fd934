// Arithmetic of wide integers on bytes, of which bytes are stored, in 16 bits: where no step of it leaves them.

#include "schedules/bind/narrow_integers.h"

#include "tests/schedule/rewritten.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Int;
using Halide::UInt;

constexpr int lanes = 8;

Expr side_by_side() { return Halide::Internal::Ramp::make(0, 1, lanes); }
Expr loaded(const std::string& tensor, const Halide::Type& type) {
    return Halide::Internal::Load::make(type.with_lanes(lanes), tensor, side_by_side(), {}, {},
                                        Halide::Internal::const_true(lanes), {});
}
Expr a() { return loaded("A", UInt(8)); }
Expr b() { return loaded("B", UInt(8)); }
Expr wide(const Expr& e) { return Halide::cast(Int(32, lanes), e); }
Expr number(int n) { return Halide::Internal::make_const(Int(32, lanes), n); }
Expr byte(const Expr& e) { return Halide::Internal::Cast::make(UInt(8, lanes), e); }

/// How many bits the arithmetic of the only store's value has: of what it is cast from.
int bits_of_arithmetic(const Expr& value) {
    const Halide::Internal::Stmt stored = with_narrow_integers(
        Halide::Internal::Store::make("Y", byte(value), side_by_side(), {}, Halide::Internal::const_true(lanes), {}));
    const auto* store = stored.as<Halide::Internal::Store>();
    const auto* cast = store ? store->value.as<Halide::Internal::Cast>() : nullptr;
    return cast ? cast->value.type().bits() : 0;
}

TEST(NarrowIntegers, SmallNumbersAreComputedInShorts) {
    EXPECT_EQ(bits_of_arithmetic((wide(a()) + wide(b())) / number(2)), 16);
    EXPECT_EQ(bits_of_arithmetic(Halide::min(wide(a()) * number(128) - number(5), number(255))), 16);
    EXPECT_EQ(bits_of_arithmetic(wide(a()) * number(66) + wide(b()) * number(150)), 16);  // of u16: up to 55,080
    EXPECT_EQ(bits_of_arithmetic(Halide::cast(Int(32, lanes), Halide::abs(wide(a()) - wide(b())))), 16);
    EXPECT_EQ(bits_of_arithmetic(Halide::select(wide(a()) > wide(b()), wide(a()) - wide(b()), number(0))), 16);
}

TEST(NarrowIntegers, WhatLeavesThemIsLeft) {
    EXPECT_EQ(bits_of_arithmetic(wide(a()) * number(129)), 16);                  // 32,895: of u16
    EXPECT_EQ(bits_of_arithmetic(wide(a()) * number(129) - number(1)), 32);      // and from -1 on
    EXPECT_EQ(bits_of_arithmetic(wide(a()) * wide(b()) * number(2)), 32);        // 130,050
    EXPECT_EQ(bits_of_arithmetic(wide(loaded("C", UInt(16))) - number(1)), 32);  // from -1 to 65,534
    EXPECT_EQ(bits_of_arithmetic(loaded("D", Int(32)) + number(1)), 32);         // of any number
    EXPECT_EQ(bits_of_arithmetic(wide(a()) / wide(b())), 32);                    // by no constant
    EXPECT_EQ(bits_of_arithmetic(Halide::Internal::Cast::make(Int(32, lanes), loaded("F", Halide::Float(32)))), 32);
}

TEST(NarrowIntegers, ANameMayStandForAnotherNumber) {
    const Expr name = Halide::Internal::Variable::make(Int(32, lanes), "t");
    const Expr other = Halide::Internal::Let::make("t", loaded("D", Int(32)), name + number(1));
    EXPECT_EQ(bits_of_arithmetic(Halide::Internal::Let::make("t", wide(a()), other)), 32);
}

TEST(NarrowIntegers, ValuesAreThoseOfTheInterpreter) {
    const std::vector<std::string> values{
        "min(abs(i32(X[x + 2]) - i32(X[x])) + 2*i32(X[x + 1]), 255)",
        "(i32(X[x]) + 2*i32(X[x + 1]) + i32(X[x + 2]) + 2)/4",
        "(66*i32(X[x]) + 129*i32(X[x + 1]) + 25*i32(X[x + 2]) + 4224)/256",
        "max(i32(X[x]) - i32(X[x + 1]), -7) % 5",
        "i32(X[x])*i32(X[x + 1])/255",
        "i32(X[x])*i32(X[x + 1]) - i32(X[x + 2])*258",
        "select(i32(X[x]) + i32(X[x + 1]) > 2*i32(X[x + 2]), i32(X[x]) - 3, 300 - i32(X[x + 1]))",
        "-(i32(X[x]) - 300)/7 + i32(X[x + 1]) - i32(X[x + 2])"};
    for (const auto& [from, to] : {std::pair{"u8", "u8"}, {"u8", "i16"}, {"i8", "i8"}, {"i8", "u16"}}) {
        std::string outputs, equations;
        for (std::size_t v = 0; v < values.size(); v++) {
            outputs += fmt::format("{}Y{}: {}[W - 2]", v ? ", " : "", v, to);
            equations += fmt::format("  Y{}[x] = {}({})\n", v, to, values[v]);
        }
        expect_variants_as_interpreted(fmt::format("kernel k(X: {}[W]) -> ({}) {{\n{}}}", from, outputs, equations),
                                       {{{"W", 3}}, {{"W", 40}}, {{"W", 200}}});
    }
}

}  // namespace
}  // namespace halogen
