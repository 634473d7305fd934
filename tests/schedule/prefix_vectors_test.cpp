// Each element made from the one before it, a vector at a time.

#include "schedules/bind/prefix_vectors.h"

#include "tests/schedule/rewritten.h"
#include "tests/schedule/statements.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;
using namespace Halide::Internal;

const Halide::Target four_lanes("x86-64-linux-sse41"), eight_lanes("x86-64-linux-sse41-avx-avx2"),
    sixteen_lanes("x86-64-linux-sse41-avx-avx2-f16c-fma-avx512-avx512_skylake");

Expr element(const Expr& at, const Halide::Type& type = Halide::Float(32)) { return element_of("Y", at, type); }
Expr other(const Expr& at, const Halide::Type& type = Halide::Float(32)) { return element_of("X", at, type); }
const Expr i = variable("i"), stride = variable("stride");

bool has_vectors(const Stmt& s) {
    return text_of(with_prefix_vectors(s, sixteen_lanes)).find("ramp(") != std::string::npos;
}

TEST(PrefixVectors, WhatIsJoinedWithTheElementBeforeRunsByVectors) {
    const Expr before = element(i - 1), x = other(i), n = Variable::make(Halide::Int(32), "c"),
               a = Variable::make(Halide::Float(32), "a");
    const Halide::Type whole = Halide::Int(32);
    const Expr whole_before = element(i - 1, whole), whole_x = other(i, whole);
    for (const Expr& value :
         {before + x, x + before, before - x, before + x - other(i - 1), x * before, before * x * other(i + 1),
          min(whole_before, whole_x), max(whole_x * 2, max(whole_before, 0)), min(whole_before + 1, whole_x),
          max(max(whole_before - n, 0), whole_x) - 3, min(whole_before + i, whole_x),
          whole_before + cast(whole, other(i, Halide::UInt(8)))})
        EXPECT_TRUE(has_vectors(loop(write(i, value)))) << value;
    for (const Expr& value : {select(x > 0, before + x, x), select(x > 0, 1.0f, x - before), before * 0.5f + x,
                              x - before / 3, before + a * (x - before)})
        EXPECT_TRUE(has_vectors(loop(write(i, value)))) << value;
    EXPECT_TRUE(has_vectors(loop(write(i * stride, element((i - 1) * stride) + x)))) << "where it is 1";
    EXPECT_TRUE(has_vectors(loop(write(100 - i, element(101 - i) + x)))) << "downwards";
    EXPECT_TRUE(has_vectors(loop(write(i, before + element(i + n))))) << "where that is not written at once";
    const Expr t = Variable::make(Halide::Float(32), "t");
    EXPECT_TRUE(has_vectors(loop(LetStmt::make("t", before, write(i, t + x))))) << "through a name";
    const Expr u = Variable::make(Halide::Float(32), "u");
    const Stmt two = LetStmt::make("t", before, LetStmt::make("u", t + x, write(i, u + 1.0f)));
    EXPECT_TRUE(has_vectors(loop(two))) << "and through one of that";
    const Expr first = Variable::make(Halide::Int(32), "f");
    const Stmt after = LetStmt::make("f", element(3, whole), loop(write(i + first, element(i + first - 1) + x)));
    const std::string text = text_of(with_prefix_vectors(after, sixteen_lanes));
    EXPECT_EQ(text.find("Y[3]"), text.rfind("Y[3]")) << "what was read before the loop is not read again in it";
    const std::string by_vectors = text_of(with_prefix_vectors(loop(two), sixteen_lanes));
    EXPECT_EQ(by_vectors.find("let u = t"), by_vectors.rfind("let u = t")) << "which the vectors do not name";
}

TEST(PrefixVectors, OtherLoopsAreLeftAsTheyAre) {
    const Expr before = element(i - 1), x = other(i);
    const Halide::Type small = Halide::UInt(8), whole = Halide::Int(32);
    const Expr chosen = Halide::Internal::Call::make(Halide::Float(32), Halide::Internal::Call::if_then_else,
                                                     {i > 5, x, 0.0f}, Halide::Internal::Call::PureIntrinsic);
    for (const Stmt& body : std::vector<Stmt>{
             write(i, before + before + x),  // it grows
             write(i, select(before > 0, before + x, x)),
             write(i, select(x > 0, before + x, before - x)),
             write(i, before * x + 1.0f),                                                  // by another factor each
             write(i, element(i - 2) + x),                                                 // from further away
             write(i, before + element(i - 3)),                                            // written in the same vector
             write(i * 2, element(i * 2 - 2) + x),                                         // elements apart
             write(i, before + chosen),                                                    // read under a condition
             write(i, min(element(i - 1, small) + 1, other(i, small))),                    // which may wrap
             write(i, element(i - 1, Halide::Int(32)) + element(other(i, whole), whole)),  // who knows where
             Block::make(write(i, before + x), write(i + 1, 0.0f)),                        // more than one store
         })
        EXPECT_EQ(text_of(with_prefix_vectors(loop(body), sixteen_lanes)), text_of(loop(body)));
    const Expr t = Variable::make(whole, "t"), moved = element(i + t - 1) + x;
    const Expr named = Halide::Internal::Let::make("t", i - 1, element(t)) + x;
    for (const Stmt& s :
         {loop(LetStmt::make("t", element(3, whole), write(i + t, moved))),  // what is written tells where
          loop(write(i, before + named))})                                   // by a name inside
        EXPECT_EQ(text_of(with_prefix_vectors(s, sixteen_lanes)), text_of(s));
    const Stmt parallel = loop(write(i, before + x), ForType::Parallel);
    EXPECT_EQ(text_of(with_prefix_vectors(parallel, sixteen_lanes)), text_of(parallel));
    const Stmt wide = loop(write(i, element(i - 1, Halide::Int(64)) + 1));
    EXPECT_EQ(text_of(with_prefix_vectors(wide, four_lanes)), text_of(wide)) << "two lanes gain nothing";
}

template<class T>
using Step = std::function<Expr(Expr before, Expr x)>;

/// Y[n] = step(Y[n - 1], X[n]) by vectors and without them.
template<class T>
void expect_values_of_the_loop(const std::string& name, const Step<T>& step, bool downwards = false,
                               double rounding = 0) {
    for (const Halide::Target& target : {four_lanes, eight_lanes, sixteen_lanes})
        for (const int extent : {1, 5, 16, 17, 70}) {
            SCOPED_TRACE(fmt::format("{} {} elements, {}", name, extent, target.to_string()));
            Halide::Buffer<T> x(extent);
            for (int n = 0; n < extent; n++) x(n) = static_cast<T>((7 * n + 3) % 11);
            const auto computed = [&](bool by_vectors) {
                Halide::ImageParam in(Halide::type_of<T>(), 1, "X");
                Func out("Y");
                const Var d("d");
                const Halide::RDom r(1, extent - 1);
                const Expr at = downwards ? extent - 1 - r : Expr(r), before = downwards ? at + 1 : at - 1;
                out(d) = in(d);
                out(at) = step(out(before), in(at));
                in.set(x);
                Halide::Pipeline pipeline(out);
                if (by_vectors) run_prefixes_by_vectors(pipeline, target);
                return Halide::Buffer<T>(pipeline.realize({extent}));
            };
            const Halide::Buffer<T> y = computed(true), expected = computed(false);
            for (int n = 0; n < extent; n++)
                EXPECT_NEAR(y(n), expected(n), rounding * 10) << n;  // values are at most 10
        }
}

TEST(PrefixVectors, ValuesAreThoseOfTheLoop) {
    const auto sum = [](const Expr& before, const Expr& x) { return before + x; };
    const auto product = [](const Expr& before, const Expr& x) { return before * (x - 5); };
    const auto least = [](const Expr& before, const Expr& x) { return min(x, before); };
    const auto greatest = [](const Expr& before, const Expr& x) { return max(before, x); };
    expect_values_of_the_loop<float>("sum", sum);
    expect_values_of_the_loop<float>("sum", sum, true);
    expect_values_of_the_loop<double>("sum", sum);
    expect_values_of_the_loop<std::int64_t>("sum", sum);
    expect_values_of_the_loop<std::uint8_t>("sum", sum);
    expect_values_of_the_loop<std::int32_t>("product", product);
    expect_values_of_the_loop<std::int32_t>("least", least);
    expect_values_of_the_loop<std::uint16_t>("least", least, true);
    expect_values_of_the_loop<std::int16_t>("greatest", greatest);
    for (const int count : {1, -1, 2})
        expect_values_of_the_loop<std::int32_t>(
            fmt::format("least, counted by {}", count),
            [&](const Expr& before, const Expr& x) { return min(before + count, 5 * x); });
    expect_values_of_the_loop<std::int32_t>("greatest, counted up behind it", [](const Expr& before, const Expr& x) {
        return max(before - 3, max(x, 2)) + 1;
    });
}

TEST(PrefixVectors, WhatFadesHasTheValuesOfTheLoop) {
    constexpr double rounding =
        4 * std::numeric_limits<float>::epsilon();  // of terms that fall off by halves, in either order
    const auto half = [](const Expr& before, const Expr& x) { return before / 2 + x / 2; };
    const auto towards = [](const Expr& before, const Expr& x) { return before + 0.5f * (x - before); };
    const auto turned = [](const Expr& before, const Expr& x) { return x - before; };
    expect_values_of_the_loop<float>("half", half, false, rounding);
    expect_values_of_the_loop<double>("half", half, true, rounding);
    expect_values_of_the_loop<float>("half of the way", towards, false, rounding);
    expect_values_of_the_loop<float>("in turns", turned);
    expect_values_of_the_loop<std::int32_t>("in turns", turned);
}

TEST(PrefixVectors, ValuesAtTheEndsOfTheTypeStayThere) {
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(),
                           most = std::numeric_limits<std::int32_t>::max();
    const auto rare = [](const Expr& x, std::int32_t otherwise) { return select(x == 10, x, otherwise); };
    expect_values_of_the_loop<std::int32_t>(
        "least", [&](const Expr& before, const Expr& x) { return min(before + 1, rare(x, most)); });
    expect_values_of_the_loop<std::int32_t>(
        "greatest", [&](const Expr& before, const Expr& x) { return max(before - 1, rare(x, least)); });
}

/// Rows shorter and longer than vectors.
void expect_on_all_legs(const std::string& text, const Tensors& given = {}) {
    std::vector<Settings> sizes;
    for (const int n : given.empty() ? std::vector<int>{1, 2, 15, 16, 17, 33, 70} : std::vector<int>{40})
        sizes.push_back({{"M", 9}, {"N", n}});
    expect_variant_as_interpreted_on_all_legs(text, {}, sizes, given);
}

TEST(PrefixVectors, ServeRowsOfEveryLengthOnAllLegs) {
    expect_on_all_legs(
        "kernel k(X: f32[M, N]) -> Y: f32[M, N] { Y[i, 0] = X[i, 0]; "
        "Y[i, j] = Y[i, j - 1] + X[i, j] where j in 1:N }");
    expect_on_all_legs(
        "kernel k(X: i32[M, N]) -> Y: i32[M, N] { Y[i, N - 1] = X[i, N - 1]; "
        "Y[i, N - 2 - j] = max(Y[i, N - 1 - j], X[i, N - 2 - j]) where j in 0:N - 1 }");
    expect_on_all_legs(
        "kernel k(A: u8[M], B: u8[N]) -> D: i32[M + 1, N + 1] { D[0, j] = j; D[i, 0] = i where i in 1:M + 1; "
        "D[i, j] = min(min(D[i - 1, j] + 1, D[i, j - 1] + 1), D[i - 1, j - 1] + i32(A[i - 1] != B[j - 1])) "
        "where i in 1:M + 1, j in 1:N + 1 }");
    expect_on_all_legs(
        "kernel k(X: u8[M, N]) -> S: i32[M + 1, N + 1] { S[y, 0] = 0 where y in 0:M + 1; S[0, x] = 0; "
        "S[y + 1, x + 1] = S[y, x + 1] + S[y + 1, x] - S[y, x] + i32(X[y, x]) where y in 0:M, x in 0:N }");
    expect_on_all_legs(
        "kernel k(X: f32[M, N], a: f32) -> Y: f32[M, N] { Y[i, 0] = X[i, 0]; "
        "Y[i, j] = a*X[i, j] + (1 - a)*Y[i, j - 1] where j in 1:N }");
    expect_on_all_legs(
        "kernel k(X: f64[M, N], a: f64[M]) -> Y: f64[M, N] { Y[i, N - 1] = X[i, N - 1]; "
        "Y[i, N - 2 - j] = X[i, N - 2 - j] - Y[i, N - 1 - j]*a[i] where j in 0:N - 1 }");
    expect_on_all_legs(
        "kernel k(X: f32[M, N, 2]) -> Y: f32[M, N] { Y[i, 0] = X[i, 0, 1]; "
        "Y[i, j] = Y[i, j - 1] + X[i, j, 1]*X[i, j, 0] where j in 1:N }");
}

TEST(PrefixVectors, BeginAnewWhereDataSaySo) {
    expect_on_all_legs(
        "kernel k(A: u8[M], B: u8[N]) -> D: i32[M + 1, N + 1] { D[0, j] = 0; D[i, 0] = 0 where i in 1:M + 1; "
        "D[i, j] = select(A[i - 1]%2 == B[j - 1]%2, D[i - 1, j - 1] + 1, max(D[i - 1, j], D[i, j - 1])) "
        "where i in 1:M + 1, j in 1:N + 1 }");  // the longest subsequence of two texts
    expect_on_all_legs(
        "kernel k(X: u8[M, N]) -> R: i32[M, N] { R[i, 0] = 1; "
        "R[i, j] = select(X[i, j]/64 == X[i, j - 1]/64, R[i, j - 1] + 1, 1) where j in 1:N }");
    expect_on_all_legs(
        "kernel k(X: f32[M, N], B: bool[M, N]) -> Y: f32[M, N] { Y[i, 0] = X[i, 0]; "
        "Y[i, j] = select(B[i, j], X[i, j], Y[i, j - 1] + X[i, j]) where j in 1:N }");
    expect_on_all_legs(
        "kernel k(X: f64[M, N], B: bool[M, N]) -> Y: f64[M, N] { Y[i, 0] = X[i, 0]; "
        "Y[i, j] = select(B[i, j], 2*X[i, j], 0.5*Y[i, j - 1] + X[i, j]) where j in 1:N }");
    expect_on_all_legs(
        "kernel k(X: i16[M, N], B: bool[M, N], C: bool[N]) -> Y: i16[M, N] { Y[i, 0] = X[i, 0]; "
        "Y[i, j] = select(B[i, j], select(C[j], 3, min(Y[i, j - 1], X[i, j])), X[i, j]) where j in 1:N }");
}

TEST(PrefixVectors, MayCountAnotherNumberForEachElement) {
    const auto warped = [](const char* type) {
        return fmt::format(
            "kernel k(X: {0}[M], Z: {0}[N]) -> D: {0}[M, N] {{ D[0, 0] = abs(X[0] - Z[0]); "
            "D[0, j] = abs(X[0] - Z[j]) + D[0, j - 1] where j in 1:N; "
            "D[i, 0] = abs(X[i] - Z[0]) + D[i - 1, 0] where i in 1:M; D[i, j] = abs(X[i] - Z[j]) + "
            "min(min(D[i - 1, j], D[i, j - 1]), D[i - 1, j - 1]) where i in 1:M, j in 1:N }}",
            type);
    };
    for (const char* type : {"f32", "f64", "i32", "i64"}) expect_on_all_legs(warped(type));
    expect_on_all_legs(
        "kernel k(X: i32[M, N]) -> Y: i32[M, N] { Y[i, 0] = 100000*X[i, 0]; "
        "Y[i, j] = max(Y[i, j - 1] - 100000*X[i, j], X[i, j]) where j in 1:N }");  // more than is joined
    expect_on_all_legs(
        "kernel k(X: f32[M, N]) -> Y: f32[M, N] { Y[i, 0] = X[i, 0]; "
        "Y[i, j] = min(Y[i, j - 1] + 1.0, X[i, j]) where j in 1:N }");
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const double other : {nan, -nan, infinity, -infinity})
        for (const std::size_t at : {1U, 17U, 39U}) {
            std::vector<double> x(9, 1), z(40, 2);
            z[at] = other, z[at - 1] = 7;
            expect_on_all_legs(warped("f32"), {{"X", values(Type::f32, {9}, x)}, {"Z", values(Type::f32, {40}, z)}});
        }
}

TEST(PrefixVectors, OfFloatsTheLeastAndGreatestIsNanFromTheFirstOne) {
    std::vector<double> elements;
    for (int row = 0; row < 9; row++)
        for (int n = 0; n < 40; n++) elements.push_back((7 * n + 3 * row) % 11 - 5.0);
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    elements[40] = nan, elements[80 + 20] = -nan, elements[120 + 39] = nan, elements[160 + 3] = -infinity;
    elements[200 + 17] = infinity, elements[240] = -infinity, elements[280 + 16] = -nan;
    for (const char* type : {"f32", "f64"})
        for (const char* function : {"max", "min"})
            expect_on_all_legs(
                fmt::format("kernel k(X: {0}[M, N]) -> (Y: {0}[M, N], Z: {0}[M, N]) {{ Y[i, 0] = X[i, 0]; "
                            "Y[i, j] = {1}(X[i, j], Y[i, j - 1]) where j in 1:N; Z[i, 0] = X[i, 0]; "
                            "Z[i, j] = select(j%7 == 6, X[i, j], {1}(X[i, j], Z[i, j - 1])) where j in 1:N }}",
                            type, function),
                {{"X", values(type == std::string("f32") ? Type::f32 : Type::f64, {9, 40}, elements)}});
}

}  // namespace
}  // namespace halogen
