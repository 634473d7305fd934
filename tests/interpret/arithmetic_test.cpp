// The types of the notation: each operation on the values where it turns.

#include "frontend/interpret/arithmetic.h"
#include "frontend/solve/solve.h"
#include "tests/interpret/run_text.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace halogen {
namespace {

using testing::ElementsAre;

std::vector<double> map_integers(Type type, const std::string& expression, const std::vector<double>& a,
                                 const std::vector<double>& b) {
    const std::string t = to_string(type);
    const auto n = static_cast<std::int64_t>(a.size());
    return run("kernel k(A: " + t + "[N], B: " + t + "[N]) -> Y: " + t + " { Y[i] = " + expression + " }",
               {{"A", tensor(type, {n}, a)}, {"B", tensor(type, {n}, b)}}, "Y");
}

TEST(Arithmetic, NarrowIntegersWrap) {
    EXPECT_THAT(map_integers(Type::i8, "A[i] + B[i]", {127, -128}, {1, -1}), ElementsAre(-128, 127));
    EXPECT_THAT(map_integers(Type::u8, "A[i] * B[i]", {16, 255}, {16, 255}), ElementsAre(0, 1));
    EXPECT_THAT(map_integers(Type::i16, "A[i] - B[i]", {-32768}, {1}), ElementsAre(32767));
    EXPECT_THAT(map_integers(Type::u16, "A[i] - B[i]", {0}, {1}), ElementsAre(65535));
}

TEST(Arithmetic, DivisionIsEuclideanAndZeroForAZeroDivisor) {
    EXPECT_THAT(map_integers(Type::i32, "A[i] / B[i]", {-7, 7, -7, 7, 5}, {2, -2, -2, 2, 0}),
                ElementsAre(-4, -3, 4, 3, 0));
    EXPECT_THAT(map_integers(Type::i32, "A[i] % B[i]", {-7, 7, -7, 7, 5}, {2, -2, -2, 2, 0}),
                ElementsAre(1, 1, 1, 1, 0));
}

TEST(Arithmetic, WideOverflowIsReported) {
    const Tensors in = {{"A", tensor(Type::i32, {2}, {1, 2147483647})}};
    EXPECT_EQ(error_of("kernel k(A: i32[N]) -> Y: i32 { Y[i] = A[i] + 1 }", in),
              "overflow -e:1:33: a sum overflows i32 at i = 1\n"
              "  at   Y[i] = A[i] + 1\n"
              "  fix  cast to a wider type before computing");
    EXPECT_EQ(error_of("kernel k(A: i32[N]) -> Y: i32 { Y[] += A[i] }", in).substr(0, 50),
              "overflow -e:1:33: a sum overflows i32 at i = 1\n  a");
    EXPECT_EQ(error_of("kernel k(A: u32[N]) -> Y: u32 { Y[i] = A[i] - 2 }", {{"A", tensor(Type::u32, {1}, {1})}})
                  .substr(0, 56),
              "overflow -e:1:33: a difference overflows u32 at i = 0\n  ");
}

TEST(Arithmetic, CastsFromFloatTruncateAndSaturate) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const Tensors in = {{"X", f32({-1.9, 1.9, 300, -300, nan, inf, -inf})}};
    EXPECT_THAT(run("kernel k(X: f32[N]) -> Y: u8 { Y[i] = u8(X[i]) }", in, "Y"), ElementsAre(0, 1, 255, 0, 0, 255, 0));
    EXPECT_THAT(run("kernel k(X: f32[N]) -> Y: i8 { Y[i] = i8(X[i]) }", in, "Y"),
                ElementsAre(-1, 1, 127, -128, 0, 127, -128));
    EXPECT_EQ(real_to_integer(Type::i64, 1e30), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(real_to_integer(Type::i64, -1e30), std::numeric_limits<std::int64_t>::min());
}

TEST(Arithmetic, CastsBetweenIntegersWrap) {
    EXPECT_EQ(integer_to_integer(Type::u8, 300), 44);
    EXPECT_EQ(integer_to_integer(Type::i8, 200), -56);
    EXPECT_EQ(integer_to_integer(Type::u32, -1), 4294967295);
    EXPECT_EQ(integer_to_integer(Type::boolean, 2), 1);
}

TEST(Arithmetic, RoundGoesHalfToEven) {
    EXPECT_THAT(run("Y[i] = round(X[i])", {{"X", f32({0.5, 1.5, 2.5, -0.5, -1.5})}}, "Y"), ElementsAre(0, 2, 2, 0, -2));
}

TEST(Arithmetic, HalvesComputeInSingleAndRoundOnce) {
    // 2048 + 1 is no f16 (it rounds to 2048), but the sum is formed in f32: 2048 + 1 + 1 = 2050 is one.
    EXPECT_THAT(
        run("kernel k(X: f16[N]) -> Y: f16 { Y[] += X[i] }", {{"X", tensor(Type::f16, {3}, {2048, 1, 1})}}, "Y"),
        ElementsAre(2050));
    EXPECT_THAT(
        run("kernel k(X: f16[N]) -> Y: f16 { Y[i] = X[i] + 1 + 1 }", {{"X", tensor(Type::f16, {1}, {2048})}}, "Y"),
        ElementsAre(2050));
    EXPECT_THAT(
        run("kernel k(X: bf16[N]) -> Y: bf16 { Y[] += X[i] }", {{"X", tensor(Type::bf16, {3}, {256, 1, 1})}}, "Y"),
        ElementsAre(258));
    EXPECT_THAT(run("kernel k(X: f32[N]) -> Y: f32 { Y[i] = f32(f16(X[i])) }", {{"X", f32({2049})}}, "Y"),
                ElementsAre(2048));
}

TEST(Arithmetic, IntegersConvertToSingleWithOneRounding) {
    // 2^53 + 2^29 + 1 lies just above the middle of two floats; by way of double it would become the middle and go down.
    const std::int64_t n = (std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1;
    EXPECT_EQ(integer_to_real(Type::f32, n), std::ldexp(1.0, 53) + std::ldexp(1.0, 30));
}

TEST(Arithmetic, FunctionsAreThoseOfTheField) {
    const double x = 0.75;
    EXPECT_FLOAT_EQ(real_function(Function::sigmoid, Type::f64, x, 0), 1 / (1 + std::exp(-x)));
    EXPECT_FLOAT_EQ(real_function(Function::rsqrt, Type::f32, 4, 0), 0.5);
    EXPECT_FLOAT_EQ(real_function(Function::pow, Type::f32, 2, 10), 1024);
    EXPECT_FLOAT_EQ(real_function(Function::erf, Type::f32, 0, 0), 0);
    EXPECT_EQ(integer_function(Function::abs, Type::i8, -128, 0), -128);  // wraps
    EXPECT_EQ(integer_function(Function::max, Type::i8, -3, 2), 2);
}

TEST(Arithmetic, MinAndMaxAreNanWhereAnOperandIs) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const double other : {0.0, 1.0, -infinity, infinity, nan}) {
        for (const Function f : {Function::min, Function::max}) {
            EXPECT_TRUE(std::isnan(real_function(f, Type::f32, nan, other)));
            EXPECT_TRUE(std::isnan(real_function(f, Type::f64, other, nan)));
        }
        for (const Op op : {Op::min, Op::max}) {
            EXPECT_TRUE(std::isnan(reduce_real(op, nan, other)));
            EXPECT_TRUE(std::isnan(reduce_real(op, other, nan)));
        }
    }
    EXPECT_EQ(real_function(Function::max, Type::f32, -infinity, 2), 2);
    EXPECT_EQ(reduce_real(Op::min, infinity, 2), 2);
}

TEST(Arithmetic, MinusTheLowestLiteralIsALiteral) {
    EXPECT_THAT(
        run("kernel k(X: i8[N]) -> Y: i8 { Y[i] = max(X[i], -128) }", {{"X", tensor(Type::i8, {1}, {-128})}}, "Y"),
        ElementsAre(-128));
}

TEST(Bounds, ASumMayBeTakenInAnyOrder) {
    const Kernel kernel = parse("Y[] += X[i]").value().kernels.at(0);
    const Tensors in = {{"X", f32({1, 2, 3, 4})}};
    const Solution solution = solve(kernel, {{"X.0", 4}}).value();
    const Interpreted result = interpret_with_bounds(kernel, solution, in, {}).value();
    // Four terms of sum of magnitudes 10: some units in the last place of 10, whose half is 2^-24 * 10 or less.
    EXPECT_GT(result.bounds.at("Y")[0], 10 * 0x1p-24);
    EXPECT_LT(result.bounds.at("Y")[0], 10 * 0x1p-24 * 32);
}

TEST(Bounds, CopiesAndIntegersAreExact) {
    const Kernel kernel =
        parse("kernel k(X: i32[N], Z: f32[N]) -> (Y: i32, W: f32) { Y[i] = X[i]*X[i] + 1; W[i] = max(Z[i], 0) }")
            .value()
            .kernels.at(0);
    const Tensors in = {{"X", tensor(Type::i32, {2}, {1, 2})}, {"Z", f32({-1, 0.1})}};
    const Solution solution = solve(kernel, {{"X.0", 2}, {"Z.0", 2}}).value();
    const Interpreted result = interpret_with_bounds(kernel, solution, in, {}).value();
    EXPECT_THAT(result.bounds.at("Y"), ElementsAre(0, 0));
    EXPECT_THAT(result.bounds.at("W"), ElementsAre(0, 0));
}

}  // namespace
}  // namespace halogen
