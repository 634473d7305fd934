// Texts that are not in the notation, and the full text of what is said about each.

#include "frontend/notation/program.h"
#include "tests/language/mended.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

struct Mistake {
    const char* text;
    const char* kind;
    const char* message;  // as the command line shows it for `-e`
};

const Mistake mistakes[] = {
    {"", "syntax",
     "-e:1:1: the text holds no kernel and no equation\n"
     "  fix  write an equation such as `C[i, j] += A[i, k] * B[k, j]`"},
    {"   # only a comment", "syntax",
     "-e:1:1: the text holds no kernel and no equation\n"
     "  fix  write an equation such as `C[i, j] += A[i, k] * B[k, j]`"},
    {"kernel", "syntax",
     "-e:1:7: expected the name of a kernel, found the end of the text\n"
     "  at   kernel\n"
     "  fix  names begin with a letter"},
    {"kernel size(X: f32[N]) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:8: `size` is a reserved word and cannot name a kernel\n"
     "  at   kernel size(X: f32[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  choose another name"},
    {"kernel f(X f32[N]) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:12: expected `:`, found `f32`\n"
     "  at   kernel f(X f32[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  give the parameter's type: `X: f32[N]`, `alpha: f32` or `T: size`"},
    {"kernel f(X: f32[N] Z: f32[N]) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:20: expected `,` or `)`, found `Z`\n"
     "  at   kernel f(X: f32[N] Z: f32[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  separate parameters by commas"},
    {"kernel f(X: f32[N],) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:20: expected the name of a parameter, found `)`\n"
     "  at   kernel f(X: f32[N],) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  names begin with a letter"},
    {"kernel f(X: f32[N]) { Y[i] = X[i] }", "syntax",
     "-e:1:21: expected `->`, found `{`\n"
     "  at   kernel f(X: f32[N]) { Y[i] = X[i] }\n"
     "  fix  name the outputs: `-> Y: f32`"},
    {"kernel f(X: f32[N]) -> Y: f32, Z: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:30: expected `{`, found `,`\n"
     "  at   kernel f(X: f32[N]) -> Y: f32, Z: f32 { Y[i] = X[i] }\n"
     "  fix  put several outputs in brackets: `-> (V: f32, I: i32)`"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i]", "syntax",
     "-e:1:31: the `{` of kernel `f` is never closed\n"
     "  at   kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i]\n"
     "  fix  add the `}`"},
    {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] } Z[i] = 3", "syntax",
     "-e:1:47: expected `kernel`, found `Z`\n"
     "  at   kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] } Z[i] = 3\n"
     "  fix  put the equation inside a kernel's `{ }`; bare equations stand alone in a text"},
    {"Y[i] = X[i]; kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:14: a kernel follows bare equations\n"
     "  at   Y[i] = X[i]; kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  put the equations into a kernel of their own, or into another file"},
    {"kernel f(X: f32[N] else 0) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:20: `X` has `else` but no padded dim\n"
     "  at   kernel f(X: f32[N] else 0) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  add `pad` to a dim, or remove the `else`"},
    {"kernel f(a: f32 else 0) -> Y: f32 { Y[] = a }", "syntax",
     "-e:1:10: `a` is a scalar and has no `else`\n"
     "  at   kernel f(a: f32 else 0) -> Y: f32 { Y[] = a }\n"
     "  fix  give it dims in brackets if it is a tensor, or remove the `else`"},
    {"kernel f(X: f32[N pad 1] else nearest) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:31: expected what stands outside, found `nearest`\n"
     "  at   kernel f(X: f32[N pad 1] else nearest) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  `else` takes a number, lowest, highest, edge, reflect, symmetric or wrap"},
    {"kernel f(X: f32[N pad 1] else reflekt) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:31: expected what stands outside, found `reflekt`\n"
     "  at   kernel f(X: f32[N pad 1] else reflekt) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  did you mean `reflect`? `else` takes a number, lowest, highest, edge, reflect, symmetric or wrap"},
    {"kernel f(X: f32[N pad (1, 2, 3)]) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:28: expected `)`, found `,`\n"
     "  at   kernel f(X: f32[N pad (1, 2, 3)]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  a pair of pads is `pad (LOW, HIGH)`"},
    {"kernel f(X: f32[N pad (1, 2)*2]) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:29: expected an operator, `pad`, `,` or `]`, found `*`\n"
     "  at   kernel f(X: f32[N pad (1, 2)*2]) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  separate dims by commas; a dim is `N`, `H/2` or `H pad P`"},
    {"kernel f(X: f32[N], T: size = 1.5) -> Y: f32 { Y[i] = X[i] }", "syntax",
     "-e:1:31: expected a whole number, found `1.5`\n"
     "  at   kernel f(X: f32[N], T: size = 1.5) -> Y: f32 { Y[i] = X[i] }\n"
     "  fix  write `T: size = 1`"},
    {"Y[i] = X[i](3)", "syntax",
     "-e:1:12: expected an operator or the end of the equation, found `(`\n"
     "  at   Y[i] = X[i](3)\n"
     "  fix  end the equation with a new line or `;`, and write `*` between factors"},
    {"Y[i] = 2X[i]", "syntax",
     "-e:1:8: a number runs into what follows it\n"
     "  at   Y[i] = 2X[i]\n"
     "  fix  write numbers as `12`, `0.5` or `1e-3`, and `*` between factors"},
    {"Y[i] = X[i] X[i]", "syntax",
     "-e:1:13: expected an operator or the end of the equation, found `X`\n"
     "  at   Y[i] = X[i] X[i]\n"
     "  fix  end the equation with a new line or `;`, and write `*` between factors"},
    {"Y[i] = X[i]] + 3", "syntax",
     "-e:1:12: `]` closes nothing\n"
     "  at   Y[i] = X[i]] + 3\n"
     "  fix  remove the `]`, or open it before"},
    {"Y[i] = (X[i] + 3", "syntax",
     "-e:1:8: `(` is never closed\n"
     "  at   Y[i] = (X[i] + 3\n"
     "  fix  add the `)`"},
    {"Y[i] = (X[i] + 3]", "syntax",
     "-e:1:17: `]` does not close the `(` of line 1, column 8\n"
     "  at   Y[i] = (X[i] + 3]\n"
     "  fix  close it with `)` first"},
    {"Y[i] = X[i] +", "syntax",
     "-e:1:14: expected an operand, found the end of the text\n"
     "  at   Y[i] = X[i] +\n"
     "  fix  write a number, a name, `T[i, j]`, `f(x)` or an expression in brackets"},
    {"Y[i] = + X[i]", "syntax",
     "-e:1:8: expected an operand, found `+`\n"
     "  at   Y[i] = + X[i]\n"
     "  fix  there is no sign `+` in the notation; remove it"},
    {"Y[i] == X[i]", "syntax",
     "-e:1:6: expected `=`, `+=`, `*=`, `max=`, `min=`, `and=` or `or=`, found `==`\n"
     "  at   Y[i] == X[i]\n"
     "  fix  an equation is written with `=`; `==` compares"},
    {"Y[i] -= X[i]", "syntax",
     "-e:1:6: expected `=`, `+=`, `*=`, `max=`, `min=`, `and=` or `or=`, found `-`\n"
     "  at   Y[i] -= X[i]\n"
     "  fix  there is no `-=`; negate or invert the right side"},
    {"Y[i] max = X[i]", "syntax",
     "-e:1:6: expected `=`, `+=`, `*=`, `max=`, `min=`, `and=` or `or=`, found `max`\n"
     "  at   Y[i] max = X[i]\n"
     "  fix  write `max=` as one word"},
    {"Y = X[i]", "syntax",
     "-e:1:3: expected `[`, found `=`\n"
     "  at   Y = X[i]\n"
     "  fix  write the tensor's places in brackets, `Y[i, j]`, or `Y[]` for rank 0"},
    {"3 = X[i]", "syntax",
     "-e:1:1: expected an equation, found `3`\n"
     "  at   3 = X[i]\n"
     "  fix  an equation begins with the tensor it defines: `Y[i] = ...`"},
    {"Y[i] = X[i] where", "syntax",
     "-e:1:18: expected an operand, found the end of the text\n"
     "  at   Y[i] = X[i] where\n"
     "  fix  write a number, a name, `T[i, j]`, `f(x)` or an expression in brackets"},
    {"Y[i] = X[i] where i = 3", "syntax",
     "-e:1:21: expected an operator, `,` or the end of the equation, found `=`\n"
     "  at   Y[i] = X[i] where i = 3\n"
     "  fix  equality is `==`"},
    {"Y[i] = X[i] where i in 3", "syntax",
     "-e:1:25: expected `:`, found the end of the text\n"
     "  at   Y[i] = X[i] where i in 3\n"
     "  fix  a range is half open, `i in 0:N`"},
    {"Y[i] = X[i] where i in 0:3:2", "syntax",
     "-e:1:27: expected an operator or the end of the equation, found `:`\n"
     "  at   Y[i] = X[i] where i in 0:3:2\n"
     "  fix  end the equation with a new line or `;`, and write `*` between factors"},
    {"Y[i] = X[i] where (i in 0:3)", "syntax",
     "-e:1:22: `in` stands only in an item behind `where`, as `i in a:b`\n"
     "  at   Y[i] = X[i] where (i in 0:3)\n"
     "  fix  write the range as an item of its own, or a comparison such as `0 <= i and i < N`"},
    {"Y[i] = X[i] in 0:3", "syntax",
     "-e:1:13: expected an operator or the end of the equation, found the reserved word `in`\n"
     "  at   Y[i] = X[i] in 0:3\n"
     "  fix  write `where i in a:b`"},
    {"Y[i] = X[i] where i < 3 < 4", "syntax",
     "-e:1:25: comparisons do not chain\n"
     "  at   Y[i] = X[i] where i < 3 < 4\n"
     "  fix  write `a < b and b < c`, or use brackets"},
    {"Y[i] = X[i] && 3", "syntax",
     "-e:1:13: there is no `&` in the notation\n"
     "  at   Y[i] = X[i] && 3\n"
     "  fix  write `and`"},
    {"Y[i] = X[i] || 3", "syntax",
     "-e:1:13: there is no `|` in the notation\n"
     "  at   Y[i] = X[i] || 3\n"
     "  fix  write `or`"},
    {"Y[i] = !X[i]", "syntax",
     "-e:1:8: there is no `!` in the notation\n"
     "  at   Y[i] = !X[i]\n"
     "  fix  write `not`, or `!=`"},
    {"Y[i] = X[i]^2", "syntax",
     "-e:1:12: there is no `^` in the notation\n"
     "  at   Y[i] = X[i]^2\n"
     "  fix  write `pow(a, b)` for floats, and `a*a` for integers"},
    {"Y[i] = X[i]**2", "syntax",
     "-e:1:12: there is no `**` in the notation\n"
     "  at   Y[i] = X[i]**2\n"
     "  fix  write `pow(a, b)` for floats, and `a*a` for integers"},
    {"Y[i] = X[i] // comment", "syntax",
     "-e:1:13: there is no comment of this kind in the notation\n"
     "  at   Y[i] = X[i] // comment\n"
     "  fix  a comment begins with `#`"},
    {"Y[i] = \"a\"", "syntax",
     "-e:1:8: there is no `\"` in the notation\n"
     "  at   Y[i] = \"a\"\n"
     "  fix  remove it; names are made of letters, digits and `_`, comments begin with `#`"},
    {"Y[i] = 9223372036854775808", "syntax",
     "-e:1:8: the integer is outside the range of i64\n"
     "  at   Y[i] = 9223372036854775808\n"
     "  fix  use at most 9223372036854775807, or a real such as `1e19`"},
    {"Y[i] = 1e999", "syntax",
     "-e:1:8: the number is outside the range of f64\n"
     "  at   Y[i] = 1e999\n"
     "  fix  use a number of magnitude 1e-307 to 1e308, or 0"},
    {"Y[i] = 99999999999999999999999", "syntax",
     "-e:1:8: the integer is outside the range of i64\n"
     "  at   Y[i] = 99999999999999999999999\n"
     "  fix  use at most 9223372036854775807, or a real such as `1e19`"},
    {"Y[i] = _x[i]", "syntax",
     "-e:1:8: a name begins with a letter\n"
     "  at   Y[i] = _x[i]\n"
     "  fix  drop the leading `_`"},
    {"Y[i] = X.0.1", "syntax",
     "-e:1:8: a dim of a tensor as a size is written as its number behind a dot\n"
     "  at   Y[i] = X.0.1\n"
     "  fix  write `X.0` for dim 0 of `X`"},
    {"Y[i] = X[i]/pad", "syntax",
     "-e:1:13: expected an operand, found the reserved word `pad`\n"
     "  at   Y[i] = X[i]/pad\n"
     "  fix  write a number, a name, `T[i, j]`, `f(x)` or an expression in brackets"},
    {"Y[i] = X[i] pad 1", "syntax",
     "-e:1:13: expected an operator or the end of the equation, found the reserved word `pad`\n"
     "  at   Y[i] = X[i] pad 1\n"
     "  fix  `pad` and `else` stand where a tensor is declared"},
    {"where[i] = X[i]", "syntax",
     "-e:1:1: expected an equation, found the reserved word `where`\n"
     "  at   where[i] = X[i]\n"
     "  fix  keep `where` on the line on which its equation ends"},
    {"kernel f(X: f32[N]) -> (Y: f32) { Y[i] = X[i] } }", "syntax",
     "-e:1:49: expected `kernel`, found `}`\n"
     "  at   kernel f(X: f32[N]) -> (Y: f32) { Y[i] = X[i] } }\n"
     "  fix  put the equation inside a kernel's `{ }`; bare equations stand alone in a text"},
    {"kernel f(X: f32[N]) -> () { Y[i] = X[i] }", "syntax",
     "-e:1:25: expected the name of an output, found `)`\n"
     "  at   kernel f(X: f32[N]) -> () { Y[i] = X[i] }\n"
     "  fix  names begin with a letter"},
    {"Y[i] = X[(i in 0:3)]", "syntax",
     "-e:1:13: `in` stands only in an item behind `where`, as `i in a:b`\n"
     "  at   Y[i] = X[(i in 0:3)]\n"
     "  fix  write the range as an item of its own, or a comparison such as `0 <= i and i < N`"},
};

TEST(Error, EveryMistakeOfSyntaxSaysWhatWhereAndHowToMendIt) {
    for (const auto& [text, kind, message] : mistakes) {
        const auto result = parse(text);
        ASSERT_FALSE(result) << text << "\nis taken for\n" << print(result.value());
        EXPECT_EQ(to_string(result.error().kind), kind) << text;
        EXPECT_EQ(format(result.error(), "-e"), message) << text;
    }
}

/// A proposal may lead to the next mistake of a text, whose proposal is followed in turn; where it names nothing to write, that
/// mistake must be of another kind.
TEST(Error, FixesOfSyntaxLeadToATextThatIsRight) {
    int followed = 0;
    for (const auto& [text, kind, message] : mistakes) {
        std::string now = text, way = now;
        for (int round = 0; round < 4; round++) {
            const auto result = parse(now);
            const auto next = result ? std::nullopt : testing::mended(now, result.error());
            if (!next) break;
            now = *next;
            way += "\n" + format(result.error(), "-e") + "\n" + now;
        }
        if (now == text) continue;
        followed++;
        const auto result = parse(now);
        EXPECT_TRUE(result || to_string(result.error().kind) != kind) << way << "\n"
                                                                      << (result ? "" : format(result.error(), "-e"));
    }
    EXPECT_GE(followed, 4);
}

TEST(Error, PlacesCountLinesAndColumnsFromOne) {
    EXPECT_EQ(
        format(parse("# one\n\nkernel f(X: f32[N]) -> Y: f32 {\n  Y[i] = X[i]\n  Y[i] = exp X[i]\n}").error(), "f.hgn"),
        "f.hgn:5:14: expected an operator or the end of the equation, found `X`\n"
        "  at   Y[i] = exp X[i]\n"
        "  fix  end the equation with a new line or `;`, and write `*` between factors");
}

TEST(Error, ALineMayNotBeginWithWhatBelongsToTheOneBefore) {
    EXPECT_EQ(format(parse("Y[i] = X[i]\n  + 1").error(), "-e"),
              "-e:2:3: expected an equation, found `+`\n  at   + 1\n"
              "  fix  to go on over several lines, end a line with the operator, or use brackets");
    EXPECT_EQ(format(parse("Y[i] = X[i]\n  where i in 0:3").error(), "-e"),
              "-e:2:3: expected an equation, found the reserved word `where`\n  at   where i in 0:3\n"
              "  fix  keep `where` on the line on which its equation ends");
}

TEST(Error, BytesThatAreNoTextAreShownAsNumbers) {
    EXPECT_EQ(format(parse("Y[i] = \xC3\xA9").error(), "-e"),
              "-e:1:8: there is no byte 0xC3 in the notation\n  at   Y[i] = ??\n"
              "  fix  remove it; names are made of letters, digits and `_`, comments begin with `#`");
    EXPECT_EQ(parse(std::string("Y[i] = \0 X[i]", 14)).error().what, "there is no byte 0x00 in the notation");
}

TEST(Error, ReservedWordsNameNothing) {
    for (const char* word : {"kernel", "size", "where", "in", "pad", "else", "and", "or", "not"}) {
        EXPECT_FALSE(parse(std::string("Y[") + word + "] = X[" + word + "]")) << word;
        EXPECT_FALSE(parse(std::string(word) + "[i] = X[i]")) << word;
        EXPECT_FALSE(parse(std::string("Y[i] = ") + word + "[i]")) << word;
        EXPECT_FALSE(parse(std::string("kernel f(") + word + ": f32[N]) -> Y: f32 { Y[i] = 1 }")) << word;
        EXPECT_FALSE(parse(std::string("kernel ") + word + "(X: f32[N]) -> Y: f32 { Y[i] = 1 }")) << word;
    }
}

}  // namespace
}  // namespace halogen
