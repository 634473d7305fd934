// Conditions behind the outputs, and the items `let` and `tmp`: what they print, mean and refuse.

#include "frontend/notation/builder.h"
#include "tests/language/read.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using testing::read;

const char* const items[] = {
    "kernel f(X: f32[N], R: size = 3) -> Y: f32 where N%4 == 0, 1 <= R, R <= 8 {\n  Y[i] = X[i]*R\n}\n",
    "kernel f(X: f32[N, M]) -> Y: f32 where X.0 < 2*M, N != 3 {\n  Y[i, j] = X[i, j]\n}\n",
    "kernel f(X: f32[N, D]) -> Y: f32 {\n  let s = 1/sqrt(f32(D))\n  Y[i, j] = X[i, j]*s\n}\n",
    "kernel f(X: f32[N], a: f32) -> Y: f32 {\n  let b = 2*a\n  let c = b*b + 1\n  Y[i] = c*(X[i] - b)\n  Y[i] += "
    "b\n}\n",
    "kernel f(X: f32[N]) -> Y: f32 {\n  let t = -0.5\n  Y[i] = select(X[i] < t, t, X[i] - t)\n}\n",
    "kernel f(X: f32[N]) -> Y: f32 {\n  let Q = N/4\n  Y[i] = X[4*i] where i in 0:Q\n}\n",
    "kernel f(X: f32[N]) -> Y: f32 {\n  let h = N/4\n  let Q = h + 1\n  Y[i] = X[i + h]*f32(Q) where i in 0:h\n}\n",
    "kernel f(X: f32[H, W]) -> Y: f32 {\n  tmp V: f32[H + 2, W pad 1] else 0\n  V[y, x] = 0 where y in 0:H + 2\n"
    "  V[y + 1, x] = X[y, x]\n  Y[y, x] += V[y, x + r - 1] where r in 0:3, x in 0:W\n}\n",
    "kernel f(X: f32[N]) -> Y: f32 {\n  let Q = N + 1\n  tmp P: f32[Q]\n  tmp S: f32[]\n  P[i] = X[i] where i in 0:N\n"
    "  S[] += P[i]\n  Y[i] = X[i] / S[]\n}\n",
    "let s = 2\nY[i] = s*X[i]\n",
    "tmp V: f32[X.0 + 1]\nV[i] = X[i]\nY[i] = V[i]\n",
};

TEST(Items, PrintAsTheyAreWritten) {
    for (const char* text : items) EXPECT_EQ(print(read(text)), text);
}

TEST(Items, SurviveTheRoundTripAndASecondCheck) {
    for (const char* text : items) {
        const Kernel kernel = read(text);
        EXPECT_TRUE(read(print(kernel)) == kernel) << text;
        const auto again = check(kernel);
        ASSERT_TRUE(again) << text << format(again.error(), "check");
        EXPECT_TRUE(again.value() == kernel) << text;
        EXPECT_EQ(print(again.value()), text);
    }
}

TEST(Items, StandBeforeTheEquationsWhereverTheyWereWritten) {
    EXPECT_EQ(print(read("kernel f(X: f32[N]) -> Y: f32\n where\n N > 1,\n N < 9\n { Z[i] = X[i]; tmp V: f32[N]; let s "
                         "= 2; V[i] = s*Z[i]; Y[i] = V[i] }")),
              "kernel f(X: f32[N]) -> Y: f32 where N > 1, N < 9 {\n  let s = 2\n  tmp V: f32[N]\n  Z[i] = X[i]\n  V[i] "
              "= s*Z[i]\n  Y[i] = V[i]\n}\n");
}

TEST(Items, ALetIsItsValueInTheTypeOfWhatStandsBesideIt) {
    const Kernel named = read("kernel f(X: f64[N]) -> Y: f64 { let s = 0.1; Y[i] = s*X[i] }");
    EXPECT_EQ(print(named.equations[0]), "Y[i] = 0.1*X[i]");
    EXPECT_EQ(named.lets[0].text, "let s = 0.1");
    EXPECT_TRUE(named.equations == read("kernel f(X: f64[N]) -> Y: f64 { Y[i] = 0.1*X[i] }").equations);
}

TEST(Items, LetAndTmpAreWordsOnlyAtTheStartOfAnItem) {
    EXPECT_EQ(print(read("let[i] = tmp[i] + let_[i]")), "let[i] = tmp[i] + let_[i]\n");
    const char* const text = "kernel let(tmp: f32[N]) -> tmp_: f32 {\n  let[i] = tmp[i]\n  tmp_[i] = let[i]\n}\n";
    EXPECT_EQ(print(read(text)), text);
}

TEST(Items, TheBuilderMakesTheSameValues) {
    const build::Index i("i"), j("j");
    const build::Size N("N"), D("D"), R("R", 3), Q("Q");
    const build::Tensor X("X", Type::f32, {N, D}), V("V", Type::f32, {Q}), Y("Y");
    const build::Let s("s", build::Value(1) / sqrt(cast(Type::f32, D))), q("Q", N / 4 + 1);
    const auto made =
        build::kernel("f", {X, R}, {Y}, {s, q, tmp(V), V(i) = build::Value(0), V(i) += X(i, j) * s, Y(i) = V(i)},
                      {N % 4 == 0, 1 <= R});
    ASSERT_TRUE(made) << format(made.error(), "made");
    const std::string text =
        "kernel f(X: f32[N, D], R: size = 3) -> Y: f32 where N%4 == 0, 1 <= R {\n"
        "  let s = 1/sqrt(f32(D))\n  let Q = N/4 + 1\n  tmp V: f32[Q]\n  V[i] = 0\n  V[i] += X[i, j]*s\n  Y[i] = "
        "V[i]\n}\n";
    EXPECT_EQ(print(made.value()), text);
    EXPECT_TRUE(made.value() == read(text));
}

struct Mistake {
    const char* text;
    const char* message;
};

TEST(Items, MistakesAreToldInFull) {
    const Mistake table[] = {
        {"kernel f(X: f32[N]) -> Y: f32 where i in 0:N { Y[i] = X[i] }",
         "syntax -e:1:37: a condition of a kernel is a relation of sizes, not a range\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 where i in 0:N { Y[i] = X[i] }\n"
         "  fix  write `where 1 <= i, i <= 8`, with a size or parameter"},
        {"kernel f(X: f32[N]) -> Y: f32 where N = 4 { Y[i] = X[i] }",
         "syntax -e:1:39: expected an operator, `,` or `{`, found `=`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 where N = 4 { Y[i] = X[i] }\n"
         "  fix  equality is `==`"},
        {"kernel f(X: f32[N]) -> Y: f32 where N + 1 { Y[i] = X[i] }",
         "type -e:1:37: the condition `N + 1` is no relation of sizes\n"
         "  at   N + 1\n"
         "  fix  compare formulas of sizes by == != < <= > >=, and separate conditions by commas"},
        {"kernel f(X: f32[N]) -> Y: f32 where N > 1 and N < 4 { Y[i] = X[i] }",
         "type -e:1:37: the condition `N > 1 and N < 4` is no relation of sizes\n"
         "  at   N > 1 and N < 4\n"
         "  fix  compare formulas of sizes by == != < <= > >=, and separate conditions by commas"},
        {"kernel f(X: f32[N], a: f32) -> Y: f32 where a < N { Y[i] = X[i] }",
         "name -e:1:45: `a` is a scalar and cannot be a size in a condition of the kernel\n"
         "  at   a < N\n"
         "  fix  declare `a: size`, or rename one of them"},
        {"kernel f(X: f32[N]) -> Y: f32 where K < N { Y[i] = X[i] }",
         "name -e:1:37: there is no size `K`\n"
         "  at   K < N\n"
         "  fix  name a size of a dim, a `size` parameter, or a dim as X.0"},
        {"kernel f(X: f32[N]) -> Y: f32 where n < N { Y[i] = X[i] }",
         "name -e:1:37: `n` in a condition of the kernel is an index, for its initial is lower case\n"
         "  at   n < N\n"
         "  fix  write a size with a capital, or declare `n: size`"},
        {"kernel f(X: f32[N]) -> Y: f32 where X.1 < N { Y[i] = X[i] }",
         "name -e:1:37: `X.1` is no size, for `X` has 1 dim\n"
         "  at   X.1 < N\n"
         "  fix  write `X.0` for dim 0 of a tensor `X`"},
        {"kernel f(X: f32[N]) -> Y: f32 where X[0] < N { Y[i] = X[i] }",
         "type -e:1:37: `X[0]` cannot stand in a condition of the kernel\n"
         "  at   X[0] < N\n"
         "  fix  use whole numbers, sizes, + - * / %, min and max"},
        {"kernel f(X: f32[N]) -> Y: f32 where N % 0 == 1 { Y[i] = X[i] }",
         "contradictory -e:1:39: the divisor of `N%0` is not positive\n"
         "  at   N % 0 == 1\n"
         "  fix  divide by 1 or more"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s; Y[i] = X[i] }",
         "syntax -e:1:38: expected `=`, found `;`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { let s; Y[i] = X[i] }\n"
         "  fix  write `let s = VALUE`"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = X[0]; Y[i] = X[i] }",
         "name -e:1:41: the value of `let s` reads the tensor `X`\n"
         "  at   let s = X[0]\n"
         "  fix  write an equation, `s[] = ...`; a `let` holds literals, sizes, scalars and earlier lets"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = t + 1; let t = 2; Y[i] = X[i]*s }",
         "name -e:1:41: `t` in the value of `let s` is no scalar and no earlier `let`\n"
         "  at   let s = t + 1\n"
         "  fix  a `let` holds literals, sizes, scalars and earlier lets; a size begins with a capital"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = 1; let s = 2; Y[i] = X[i]*s }",
         "name -e:1:48: `s` is declared twice\n"
         "  fix  rename one of them"},
        {"kernel f(X: f32[N], s: f32) -> Y: f32 { let s = 1; Y[i] = X[i]*s }",
         "name -e:1:45: `s` names both a scalar and a let\n"
         "  fix  rename one of them"},
        {"kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i]; let i = 1 }",
         "name -e:1:50: `i` stands in the kernel before its `let`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i]; let i = 1 }\n"
         "  fix  move the `let` up, or choose another name"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = 1; Y[i] = s[i] }",
         "name -e:1:51: `s` is a let, and only tensors take brackets\n"
         "  at   Y[i] = s[i]\n"
         "  fix  remove the brackets, or rename one of them"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = 1; Y[i] = X[i] where s in 0:3 }",
         "name -e:1:62: `s` is a let, and `in` gives the range of an index\n"
         "  at   Y[i] = X[i] where s in 0:3\n"
         "  fix  rename the index"},
        {"kernel f(X: f32[N]) -> Y: f32 { let N = 1; Y[i] = X[i] }",
         "name -e:1:17: `N` in the dims of `X` is a let, which begins behind them\n"
         "  fix  write its formula there, or choose another name"},
        {"kernel f(X: f32[Q]) -> Y: f32 { let Q = 1; Y[i] = X[i] }",
         "name -e:1:17: `Q` in the dims of `X` is a let, which begins behind them\n"
         "  fix  write its formula there, or choose another name"},
        {"kernel f(X: f32[N]) -> Y: f32 { let Q = f32(N); Y[i] = X[i] }",
         "type -e:1:41: `f32(N)` cannot stand in the value of `let Q`, a size\n"
         "  at   let Q = f32(N)\n"
         "  fix  use whole numbers, sizes, + - * / %, min and max"},
        {"kernel f(X: f32[N], a: f32) -> Y: f32 { let Q = a + 1; Y[i] = X[i] }",
         "name -e:1:49: `a` is a scalar and cannot be a size in the value of `let Q`, a size\n"
         "  at   let Q = a + 1\n"
         "  fix  declare `a: size`, or rename one of them"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = f32(1) + f64(2); Y[i] = X[i] }",
         "type -e:1:48: `+` joins f32 `f32(1)` and f64 `f64(2)`\n"
         "  at   let s = f32(1) + f64(2)\n"
         "  fix  cast one of them: `f64(f32(1))`"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = f64(2); Y[i] = X[i]*s }",
         "type -e:1:60: `*` joins f32 `X[i]` and f64 `f64(2)`\n"
         "  at   Y[i] = X[i]*s\n"
         "  fix  cast one of them: `f64(X[i])`"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = 0.5; Y[i] = X[s] }",
         "type -e:1:55: `0.5` cannot stand in the brackets of `X`\n"
         "  at   Y[i] = X[s]\n"
         "  fix  positions are whole numbers; cast with `i32(...)`"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = M; Y[i] = X[i]*s }",
         "name -e:1:41: there is no size `M`\n"
         "  at   let s = M\n"
         "  fix  name a size of a dim, a `size` parameter, or a dim as X.0"},
        {"kernel f(X: f32[N]) -> Y: f32 { let s = 1 2; Y[i] = X[i]*s }",
         "syntax -e:1:43: expected the end of the `let`, found `2`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { let s = 1 2; Y[i] = X[i]*s }\n"
         "  fix  a `let` is a name and its value, `let s = 1/sqrt(f32(D))`"},
        {"kernel f(X: f32[N]) -> Y: f32 { let pad = 1; Y[i] = X[i] }",
         "syntax -e:1:37: `pad` is a reserved word and cannot name a `let`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { let pad = 1; Y[i] = X[i] }\n"
         "  fix  choose another name"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: f32; V[i] = X[i]; Y[i] = V[i] }",
         "syntax -e:1:37: `tmp V` has no dims\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { tmp V: f32; V[i] = X[i]; Y[i] = V[i] }\n"
         "  fix  give it dims, `tmp V: f32[N]`; a single number is `tmp V: f32[]`"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[N]; Y[i] = X[i] }",
         "name -e:1:37: `tmp V` is never written\n"
         "  fix  add an equation with `V[...]` on its left, or remove it"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp X: f32[N]; Y[i] = X[i] }",
         "name -e:1:37: `X` is declared twice\n"
         "  fix  rename one of them"},
        {"kernel f(X: f32[N]) -> Y: f32 { V[i] = X[i]; tmp V: f32[N]; Y[i] = V[i] }",
         "name -e:1:50: `V` stands in the kernel before its `tmp`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { V[i] = X[i]; tmp V: f32[N]; Y[i] = V[i] }\n"
         "  fix  move the `tmp` up, or choose another name"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[N, N]; V[i] = X[i]; Y[i] = V[i] }",
         "rank -e:1:51: `V` has 2 dims but is used with 1 in V[i]\n"
         "  at   V[i] = X[i]\n"
         "  fix  give 2 places in the brackets, or change the declaration"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: i32[N]; V[i] = X[i]; Y[i] = V[i] }",
         "type -e:1:55: the right side is f32, and `V` is i32\n"
         "  at   V[i] = X[i]\n"
         "  fix  cast it: `i32(X[i])`"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[N] else 0; V[i] = X[i]; Y[i] = V[i] }",
         "syntax -e:1:47: `V` has `else` but no padded dim\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[N] else 0; V[i] = X[i]; Y[i] = V[i] }\n"
         "  fix  add `pad` to a dim, or remove the `else`"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[N] V[i] = X[i]; Y[i] = V[i] }",
         "syntax -e:1:47: expected the end of the `tmp`, found `V`\n"
         "  at   kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[N] V[i] = X[i]; Y[i] = V[i] }\n"
         "  fix  a `tmp` is a tensor as a parameter list declares it, `tmp V: f32[H, W pad 1] else 0`"},
        {"kernel f(X: f32[N]) -> Y: f32 { tmp V: f32[n]; V[i] = X[i]; Y[i] = V[i] }",
         "name -e:1:44: `n` in the dims of `V` is an index, for its initial is lower case\n"
         "  fix  write a size with a capital, or declare `n: size`"},
    };
    for (const Mistake& m : table) {
        const auto result = parse(m.text);
        ASSERT_FALSE(result) << m.text;
        EXPECT_EQ(to_string(result.error().kind) + " " + format(result.error(), "-e"), m.message) << m.text;
    }
}

}  // namespace
}  // namespace halogen
