// A kernel built in C++ is the very value that its text parses to.

#include "frontend/notation/builder.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using build::in;
using build::Index;
using build::Scalar;
using build::Size;
using T = build::Tensor;

void expect_same(const Result<Kernel>& built, const std::string& text) {
    ASSERT_TRUE(built) << format(built.error(), "builder");
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed) << format(parsed.error(), "text");
    EXPECT_TRUE(built.value() == parsed.value().kernels[0]) << "built:\n"
                                                            << print(built.value()) << "parsed:\n"
                                                            << print(parsed.value());
    EXPECT_TRUE(parse(print(built.value())).value().kernels[0] == built.value());
}

std::string error_of(const Result<Kernel>& built) {
    return built ? "no error" : to_string(built.error().kind) + ": " + format(built.error(), "built");
}

TEST(Builder, MatmulIsOneLine) {
    const Index n("n"), k("k"), c("c");
    const Size N("N"), C("C"), K("K");
    const T X("X", Type::f32, {N, C}), W("W", Type::f32, {C, K}), Y("Y");
    expect_same(build::kernel("matmul", {X, W}, {Y}, {Y(n, k) += X(n, c) * W(c, k)}),
                "kernel matmul(X: f32[N, C], W: f32[C, K]) -> Y: f32 { Y[n, k] += X[n, c]*W[c, k] }");
}

TEST(Builder, BareEquations) {
    const Index i("i"), j("j"), k("k");
    const T A("A"), B("B"), C("C"), Y("Y");
    expect_same(build::equations({C(i, j) += A(i, k) * B(k, j)}), "C[i,j] += A[i,k]*B[k,j]");
    expect_same(build::equations({C(i) = A(i), Y(i) = C(i) * A.dim(0)}), "C[i] = A[i]; Y[i] = C[i]*A.0");
}

TEST(Builder, Convolution) {
    const Index n("n"), y("y"), x("x"), k("k"), r("r"), s("s"), c("c");
    const Size N("N"), H("H"), W("W"), C("C"), R("R"), S("S"), K("K"), OH("OH"), OW("OW");
    const Size stride("T", 1), dilation("D", 1), P("P", 0);
    const T X = T("X", Type::f32, {N, pad(H, P), pad(W, P), C}).otherwise(0);
    const T F("F", Type::f32, {R, S, C, K}), Y("Y", Type::f32, {N, OH, OW, K});
    expect_same(build::kernel("conv2d", {X, F, stride, dilation, P}, {Y},
                              {Y(n, y, x, k) +=
                               X(n, stride * y + dilation * r - P, stride * x + dilation * s - P, c) * F(r, s, c, k)}),
                "kernel conv2d(X: f32[N, H pad P, W pad P, C] else 0, F: f32[R, S, C, K], T: size = 1, D: size = 1, P: "
                "size = 0)"
                " -> Y: f32[N, OH, OW, K] { Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k] }");
}

TEST(Builder, Softmax) {
    const Index b("b"), n("n");
    const T X("X", Type::f32, {Size("B"), Size("N")}), M("M"), E("E"), S("S"), Y("Y");
    expect_same(
        build::kernel("softmax", {X}, {Y},
                      {M(b).max_of(X(b, n)), E(b, n) = exp(X(b, n) - M(b)), S(b) += E(b, n), Y(b, n) = E(b, n) / S(b)}),
        "kernel softmax(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; "
        "Y[b, n] = E[b, n]/S[b] }");
}

TEST(Builder, GeluLinear) {
    const Index m("m"), n("n"), k("k");
    const Size M("M"), N("N"), K("K");
    const T X("X", Type::f32, {M, K}), W("W", Type::f32, {N, K}), bias("bias", Type::f32, {N}), Z("Z"), Y("Y");
    expect_same(build::kernel("gelu_linear", {X, W, bias}, {Y},
                              {Z(m, n) = bias(n), Z(m, n) += X(m, k) * W(n, k),
                               Y(m, n) = 0.5 * Z(m, n) * (1 + erf(Z(m, n) * 0.70710678))}),
                "kernel gelu_linear(X: f32[M, K], W: f32[N, K], bias: f32[N]) -> Y: f32 { Z[m, n] = bias[n]; Z[m, n] "
                "+= X[m, k]*W[n, k]; "
                "Y[m, n] = 0.5*Z[m, n]*(1 + erf(Z[m, n]*0.70710678)) }");
}

TEST(Builder, RecurrenceWithAScalarAndARange) {
    const Index i("i");
    const Size N("N");
    const Scalar a("a", Type::f64);
    const T X("X", Type::f64, {N}), Y("Y", Type::f64);
    expect_same(build::kernel("smooth", {X, a}, {Y}, {Y(0) = X(0), (Y(i) = a * Y(i - 1) + X(i)).where(in(i, 1, N))}),
                "kernel smooth(X: f64[N], a: f64) -> Y: f64 { Y[0] = X[0]; Y[i] = a*Y[i-1] + X[i] where i in 1:N }");
}

TEST(Builder, ScatterGatherAndSeveralOutputs) {
    const Index n("n");
    const Size N("N");
    const T I("I", Type::i32, {N}), W("W", Type::f32, {N}), H("H", Type::f32, {16}), G("G", Type::f32);
    expect_same(build::kernel("both", {I, W}, {H, G}, {H(I(n)) += W(n), G(n) = W(I(n) % 4)}),
                "kernel both(I: i32[N], W: f32[N]) -> (H: f32[16], G: f32) { H[I[n]] += W[n]; G[n] = W[I[n]%4] }");
}

TEST(Builder, EveryOperatorAndFunction) {
    const Index i("i"), k("k");
    const Size N("N");
    const T X("X", Type::f32, {N, N}), B("B", Type::boolean), Y("Y"), Z("Z"), V("V", Type::boolean), Q("Q"), R("R");
    expect_same(build::kernel(
                    "all", {X}, {Y, Z, B, V, Q, R},
                    {(Y(i) *= select(X(i, k) > 0 && !(i == k), -X(i, k), cast(Type::f32, i) / 2))
                         .where(i != k, k < 7, in(i, 0, N), i >= 0 || k <= 3),
                     Z(i).min_of(min(X(i, k), 1) + max(X(i, k), 2) + pow(X(i, k), 2) + abs(X(i, k)) + floor(X(i, k)) +
                                 ceil(X(i, k)) + round(X(i, k))),
                     B(i).and_of(X(i, k) == 1), V(i).or_of(X(i, k) != 1),
                     Q(i) = sqrt(X(i, i)) + rsqrt(X(i, i)) + exp(X(i, i)) + log(X(i, i)) + sin(X(i, i)) + cos(X(i, i)),
                     R() += tanh(X(i, i)) - erf(X(i, i)) * sigmoid(X(i, i)) % 3}),
                "kernel all(X: f32[N, N]) -> (Y: f32, Z: f32, B: bool, V: bool, Q: f32, R: f32) {\n"
                "Y[i] *= select(X[i, k] > 0 and not i == k, -X[i, k], f32(i)/2) where i != k, k < 7, i in 0:N, i >= 0 "
                "or k <= 3\n"
                "Z[i] min= min(X[i, k], 1) + max(X[i, k], 2) + pow(X[i, k], 2) + abs(X[i, k]) + floor(X[i, k]) + "
                "ceil(X[i, k]) + round(X[i, k])\n"
                "B[i] and= X[i, k] == 1\nV[i] or= X[i, k] != 1\n"
                "Q[i] = sqrt(X[i, i]) + rsqrt(X[i, i]) + exp(X[i, i]) + log(X[i, i]) + sin(X[i, i]) + cos(X[i, i])\n"
                "R[] += tanh(X[i, i]) - erf(X[i, i])*sigmoid(X[i, i])%3 }");
}

TEST(Builder, PadsBoundariesFormulasAndOpenDims) {
    const Index i("i"), j("j");
    const Size H("H"), P("P"), Q("Q", 2);
    const T X = T("X", Type::u8, {build::Dim(H / 2).pad(P, Q), build::Dim::open()}).otherwise(build::Mode::reflect);
    const T W = T("W", Type::f32, {pad(H, P, Q)}).otherwise(-1.5);
    const T Y("Y", Type::u8), V("V", Type::f32, {2 * H}), S("S", Type::f32, std::vector<build::Dim>{});
    expect_same(build::kernel("f", {X, W, P, Q}, {Y, V, S}, {Y(i, j) = X(i, j), V(i) = W(i), S() += W(i)}),
                "kernel f(X: u8[H/2 pad (P, Q), _] else reflect, W: f32[H pad (P, Q)] else -1.5, P: size, Q: size = 2) "
                "-> (Y: u8, V: f32[2*H], "
                "S: f32[]) { Y[i, j] = X[i, j]; V[i] = W[i]; S[] += W[i] }");
}

TEST(Builder, ANegativeLiteralIsAMinusBeforeALiteral) {
    const Index i("i");
    const T X("X"), Y("Y");
    expect_same(build::equations({Y(i) = X(i) * -2 + -0.5}), "Y[i] = X[i]*-2 + -0.5");
}

TEST(Builder, ASharedSubtreeIsTypedWhereItStands) {
    const Index i("i");
    const T X("X", Type::f64, {Size("N")}), W("W", Type::f32, {Size("N")}), Y("Y", Type::f64);
    const build::Value tenth = 0.1;
    const auto k = build::kernel("f", {X, W}, {Y}, {Y(i) = X(i) * tenth + cast(Type::f64, W(i) * tenth)});
    ASSERT_TRUE(k);
    std::string types;
    const Equation& eq = k.value().equations[0];
    each_type(k.value(), eq,
              [&](const Expr& e, NodeTypes t) { types += e.as<RealLiteral>() ? to_string(t.own) + " " : ""; });
    EXPECT_EQ(types, "f64 f32 ");
}

TEST(Builder, Programs) {
    const Index i("i");
    const T X("X", Type::f32, {Size("N")}), Y("Y");
    const auto a = build::kernel("a", {X}, {Y}, {Y(i) = X(i)}), b = build::kernel("b", {X}, {Y}, {Y(i) = -X(i)});
    const auto both = build::program({a, b});
    ASSERT_TRUE(both);
    EXPECT_TRUE(parse(print(both.value())).value() == both.value());
    EXPECT_EQ(build::program({a, a}).error().what, "there are two kernels `a`");
    EXPECT_EQ(build::program({}).error().what, "the program holds no kernel");
}

TEST(Builder, MistakesAreToldAsForText) {
    const Index i("i"), k("k"), bad("N"), reserved("pad");
    const Size N("N"), lower("t");
    const T X("X", Type::f32, {N}), I("I", Type::i32, {N}), Y("Y"), Z("Z");
    EXPECT_EQ(error_of(build::kernel("f", {X}, {Y}, {Y(i) = X(i) * k})),
              "name: built: index `k` is missing on the left, and `=` reduces nothing\n"
              "  at   Y[i] = X[i]*k\n"
              "  fix  reduce with `+=`, put `k` on the left, or declare `k` if it is meant as a scalar or size");
    EXPECT_EQ(error_of(build::kernel("f", {X}, {Y}, {Y(bad) = X(bad)})),
              "name: built: `N` cannot name an index\n"
              "  at   Y[N] = X[N]\n"
              "  fix  begin the name with a lower-case letter, and use no name that a parameter has");
    EXPECT_EQ(error_of(build::kernel("f", {X}, {Y}, {Y(i) = X(i) * lower})),
              "name: built: `t` cannot name a size\n"
              "  at   Y[i] = X[i]*t\n"
              "  fix  begin the name with a capital, or declare it as a `size` parameter");
    EXPECT_EQ(error_of(build::kernel("f", {X}, {Y}, {Y(i) = X(i) * Scalar("a", Type::f32)})),
              "name: built: there is no scalar `a`\n  at   Y[i] = X[i]*a\n  fix  declare it as a parameter");
    EXPECT_EQ(error_of(build::kernel("f", {X, I}, {Y}, {Y(i) = X(i) + I(i)})),
              "type: built: `+` joins f32 `X[i]` and i32 `I[i]`\n  at   Y[i] = X[i] + I[i]\n  fix  cast one of them: "
              "`f32(I[i])`");
    EXPECT_EQ(error_of(build::kernel("f", {Z}, {Y}, {Y(i) = Z(i)})),
              "rank: built: input `Z` has no dims\n  fix  give it dims; a number known at run time is a `Scalar`");
    EXPECT_EQ(error_of(build::kernel("where", {X}, {Y}, {Y(i) = X(i)})),
              "name: built: `where` is a reserved word and cannot name a kernel\n  fix  choose another name");
    EXPECT_EQ(error_of(build::kernel("f", {X}, {Y}, {Y(reserved) = X(reserved)})),
              "name: built: `pad` cannot name an index\n"
              "  at   Y[pad] = X[pad]\n"
              "  fix  begin the name with a lower-case letter, and use no name that a parameter has");
    EXPECT_EQ(error_of(build::equations({})), "syntax: built: there is no equation\n  fix  write one");
    EXPECT_EQ(error_of(build::kernel("f", {X}, {Y}, {Y(i) = X(i) * (1.0 / 0.0 * 1.0)})).substr(0, 46),
              "syntax: built: a literal must be a finite numb");
}

TEST(Builder, ATreeTooDeepIsRefused) {
    const Index i("i");
    const T X("X"), Y("Y");
    build::Value sum = X(i);
    for (int n = 0; n < 1200; ++n) sum = sum + 1;
    EXPECT_EQ(build::equations({Y(i) = sum}).error().kind, ErrorKind::too_complex);
}

}  // namespace
}  // namespace halogen
