// What compiled kernels make of NaN, infinities and numbers far out: what the interpreter does.

#include "tests/schedule/run_compiled.h"

#include "schedules/machine/machine.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace halogen {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// `text` with a type for each `%t` and an operation for each `%f`.
std::string filled(std::string text, const std::string& type, const std::string& operation = "") {
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at))
        text.replace(at, 2, text[at + 1] == 't' ? type : operation);
    return text;
}

/// Every output element of a call is NaN exactly where the interpreter's is.
void expect_same_nans(const Executor& executor, const Kernel& kernel, const Settings& sizes, const Tensors& given) {
    const CallData data = call_of(kernel, sizes, given);
    const Tensors outputs = outputs_of(executor, data);
    const Tensors expected = interpret(kernel, data.numbers, data.inputs, data.scalars).value();
    int found = 0;
    for (const Tensor* tensor : kernel.outputs())
        for (std::int64_t i = 0; i < outputs.at(tensor->name).elements(); i++) {
            const double a = outputs.at(tensor->name).real(i), b = expected.at(tensor->name).real(i);
            EXPECT_EQ(std::isnan(a), std::isnan(b)) << "element " << i;
            if (!std::isnan(b)) {
                EXPECT_EQ(a, b) << "element " << i;
            }
            found += std::isnan(b) ? 1 : 0;
        }
    EXPECT_GT(found, 0);
}

void expect_same_nans(const std::string& text, const Settings& sizes, const Tensors& given) {
    SCOPED_TRACE(text);
    const Kernel kernel = parse(text).value().kernels.at(0);
    expect_same_nans(Executor(kernel, choose_leg(""), sizes), kernel, sizes, given);
}

/// A matrix whose row r has its NaN, of either sign, at place 3*r, the last row none.
HostTensor rows_with_nans(Type type, std::int64_t n) {
    const std::int64_t rows = (n + 2) / 3 + 1;
    std::vector<double> elements;
    for (std::int64_t r = 0; r < rows; r++)
        for (std::int64_t i = 0; i < n; i++)
            elements.push_back(i == 3 * r && r + 1 < rows ? (r % 2 ? -nan : nan) : static_cast<double>(i % 11 - 5));
    return values(type, {rows, n}, elements);
}

TEST(SpecialValues, ReductionsByMaxAndMinGiveNanWhereAnElementIsNan) {
    for (const Type type : {Type::f32, Type::f64, Type::f16, Type::bf16})
        for (const std::string op : {"max=", "min="})
            for (const char* head : {"Y[i] %f X[i, j]", "Y[j] %f X[i, j]", "Y[i] %f 2*X[i, j] + 1"}) {
                const std::string equation = filled(head, "", op);
                const std::string text =
                    fmt::format("kernel k(X: {0}[M, N]) -> Y: {0} {{ {1} }}", to_string(type), equation);
                SCOPED_TRACE(text);
                const Kernel kernel = parse(text).value().kernels.at(0);
                const Executor executor(kernel, choose_leg(""), {});  // one for all sizes
                for (const std::int64_t n : {1, 7, 33, 200}) {
                    const HostTensor x = rows_with_nans(type, n);
                    expect_same_nans(executor, kernel, {{"M", x.extents()[0]}, {"N", n}}, {{"X", x}});
                }
            }
}

TEST(SpecialValues, ExtremesSoFarAreNanFromTheFirstNanOn) {
    for (const Type type : {Type::f32, Type::f64, Type::f16})
        for (const std::string f : {"max", "min"})
            for (const char* equations :
                 {"Y[i, 0] = X[i, 0]; Y[i, j] = %f(Y[i, j - 1], X[i, j]) where j in 1:N",
                  "Y[i, 0] = 2*X[i, 0]; Y[i, j] = %f(2*X[i, j] + 1, Y[i, j - 1]) where j in 1:N",
                  "Y[0, j] = X[0, j]; Y[i, j] = %f(Y[i - 1, j], 2*X[i, j]) where i in 1:M"}) {
                const std::string text = fmt::format("kernel k(X: %t[M, N]) -> Y: %t[M, N] {{ {} }}", equations);
                const Kernel kernel = parse(filled(text, to_string(type), f)).value().kernels.at(0);
                SCOPED_TRACE(print(kernel));
                const Executor executor(kernel, choose_leg(""), {});
                for (const std::int64_t n : {1, 7, 33}) {
                    const HostTensor x = rows_with_nans(type, n);
                    expect_same_nans(executor, kernel, {{"M", x.extents()[0]}, {"N", n}}, {{"X", x}});
                }
            }
}

TEST(SpecialValues, MinAndMaxGiveNanWhereAnOperandIsNan) {
    for (const Type type : {Type::f32, Type::f64, Type::f16, Type::bf16})
        for (const char* f : {"max", "min"}) {
            std::vector<double> a, b, c;
            for (int i = 0; i < 70; i++) {
                a.push_back(i % 5 == 1 ? nan : i % 7 - 3);
                b.push_back(i % 3 == 1 ? nan : i % 4 - 2);
                c.push_back(i % 4 == 1 ? -nan : i % 6 - 3);
            }
            const Tensors inputs{
                {"A", values(type, {70}, a)}, {"B", values(type, {70}, b)}, {"C", values(type, {70}, c)}};
            const std::string head = "kernel k(A: %t[N], B: %t[N], C: %t[N]) -> Y: %t { ";
            for (const char* equations : {
                     "Y[i] = %f(A[i], B[i])",
                     "Y[i] = %f(A[i], 0)",
                     "Y[i] = %f(1, B[i])",
                     "Y[i] = %f(2*A[i], B[i])",
                     "Y[i] = %f(A[i], B[i] + 1)",
                     "Y[i] = %f(2*A[i], 0)",
                     "Y[i] = %f(2*A[i] - 1, 3*B[i])",
                     "Y[i] = min(max(2*A[i], 0), 6)",
                     "Y[i] = %f(%f(A[i], B[i]), C[i])",
                     "Y[i] = %f(C[i], %f(A[i], B[i]))",
                     "Y[i] = %f(%f(A[i], 2*B[i]), %f(C[i], A[i]))",
                     "Y[i] = %f(%f(%f(A[i], B[i]), 2*C[i]), -1)",
                     "Y[i] = min(max(A[i], B[i]), C[i])",
                     "Y[i] = %f(A[i] + 2*B[i], 0)",
                     "Y[i] = %f(A[i] - B[i], B[i]*C[i])",
                     "Y[i] = %f(max(A[i] - B[i], 0) - C[i], min(A[i] + C[i], 1))",
                     "Z[i] = 2*A[i]; Z[j] %f= B[j]; Y[i] = Z[i]",
                 })
                expect_same_nans(filled(fmt::format("{}{} }}", head, equations), to_string(type), f), {{"N", 70}},
                                 inputs);
        }
}

TEST(SpecialValues, ComparisonsWithNanAreFalse) {
    std::vector<double> x;
    for (int i = 0; i < 70; i++) x.push_back(i % 5 == 1 ? nan : i % 7 - 3);
    for (const Type type : {Type::f32, Type::f64, Type::f16})
        for (const char* comparison : {"<", "<=", ">", ">=", "==", "!="}) {
            const Tensors inputs{{"X", values(type, {70}, x)}};
            for (const char* equation : {"Y[i] = 1 where X[i] %f Z[i]", "Y[i] = select(not (X[i] %f Z[i]), 2, 1)",
                                         "Y[i] = 1 where X[i] %f Z[i], i > 3"}) {
                const std::string text = fmt::format("kernel k(X: %t[N], Z: %t[N]) -> Y: i32 {{ {} }}", equation);
                expect_as_interpreted(filled(text, to_string(type), comparison), {{"N", 70}}, inputs);
            }
        }
}

TEST(SpecialValues, FunctionsAreRightFarOut) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Tensors x{{"X", values(Type::f32, {13},
                                 {3e38, -3e38, 1e10, -1e10, 200, -200, 20, -20, infinity, -infinity, nan, 0, 1e-40})}};
    for (const char* f : {"exp", "sigmoid", "tanh", "erf", "log", "sqrt", "sin", "cos"})
        expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32 { Y[i] = " + std::string(f) + "(X[i]) }", {{"N", 13}}, x);
    for (const char* f : {"exp", "sigmoid", "tanh", "erf", "log", "sqrt", "sin", "cos"})  // of what is computed
        expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32 { Y[i] = " + std::string(f) + "(2*X[i] - 3) }",
                              {{"N", 13}}, x);
}

TEST(SpecialValues, CastsOfComputedNumbersSaturateAndThoseOfNaNAre0) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const char* real : {"f32", "f64"}) {
        const Tensors x{{"X", values(parse_type(real).value(), {17},
                                     {3e38, -3e38, 1e10, -1e10, 127, 128, -128, -129, 255, 256, 65535, 65536, -0.5,
                                      infinity, -infinity, nan, 0.5})}};
        for (const char* whole : {"u8", "i8", "u16", "i16", "u32", "i32", "i64"})
            for (const char* value : {"X[i]", "X[i]*X[i]*X[i] - 3", "1 - 2*X[i]", "tanh(X[i])*200"})
                expect_as_interpreted(std::string("kernel k(X: ") + real + "[N]) -> Y: " + whole +
                                          " { Y[i] = " + whole + "(" + value + ") }",
                                      {{"N", 17}}, x);
    }
}

TEST(SpecialValues, InfinitiesOfAPaddingAreComputedWith) {
    const Settings n{{"N", 19}};
    for (const char* mode : {"lowest", "highest"}) {
        const std::string x = std::string("(X: f32[N pad 2] else ") + mode + ") -> Y: f32 ";
        expect_as_interpreted("kernel k" + x + "{ Y[i] += X[i + k - 2] where k in 0:3, i in 0:N }", n);
        expect_as_interpreted("kernel k" + x + "{ P[i] = X[i - 2] where i in 0:N; Y[i] = P[i] - 1 }", n);
        expect_as_interpreted("kernel k" + x + "{ Y[i] = log(abs(X[i - 1])) where i in 0:N }", n);
        expect_as_interpreted("kernel k" + x + "{ Y[i] = exp(-abs(X[i - 1])) where i in 0:N }", n);
        expect_as_interpreted("kernel k" + x + "{ Y[i] = select(X[i - 1]*X[i - 1] > 5, 1, 2) where i in 0:N }", n);
    }
}

TEST(SpecialValues, IntegersBeyondTheHalvesAreInfinite) {
    for (const char* type : {"u32", "i64"})
        for (const char* beyond : {"lowest", "65519", "100000"}) {
            const std::string head = std::string("kernel k(X: ") + type + "[N pad 2] else " + beyond + ") -> Y: f16 ";
            expect_as_interpreted(head + "{ Y[i] = f16(X[i - 2]) where i in 0:N + 4 }", {{"N", 5}});
            expect_as_interpreted(head + "{ Y[i] = f16(X[i32(i64(i)) - 2]) where i in 0:N + 4 }", {{"N", 5}});
            expect_as_interpreted(head + "{ Y[i] = f16(X[i - 2]) + f16(i) where i in 0:N + 4 }", {{"N", 5}});
            expect_as_interpreted(head + "{ P[i] = X[i - 2] where i in 0:N + 4; Y[i] = 2 - f16(P[i]) }", {{"N", 5}});
        }
}

TEST(SpecialValues, ALeastOfNothingIsComputedWith) {
    for (const char* type : {"f32", "f16"})
        for (const char* op : {"min", "max"}) {
            for (const char* then :
                 {"J[i] = J[i]*F[]", "J[i] = 2 - J[i]", "J[i] += F[]", "J[i] = J[i]*F[]; J[k] += F[]"}) {
                const std::string text =
                    fmt::format("kernel k(X: %t[N, H], F: %t[]) -> J: %t {{ J[i] %f= X[i, n]; {} }}", then);
                expect_as_interpreted(filled(text, type, op), {{"N", 4}, {"H", 0}});
            }
        }
    expect_as_interpreted("kernel k(X: f32[N, H]) -> J: f32 { M[i] max= X[i, n]; J[] += exp(M[i]); J[] += 1/M[i] }",
                          {{"N", 4}, {"H", 0}});
}

/// What is not finite is met exactly; but a sum that ends beyond the type may end just below where its terms come in another order.
TEST(SpecialValues, HalvesAreRoundedAlsoBetweenOperations) {
    std::vector<double> z;
    for (int i = 0; i < 70; i++) z.push_back(i % 3 == 0 ? -1.19805 * i : 70000.0 / (i + 1));
    const Tensors inputs{{"Z", values(Type::f32, {70}, z)}};
    for (const char* text : {
             "kernel k(Z: f32[N]) -> Q: f32 { Q[i] = 1 - f32(f16(0.5 - Z[i])) }",
             "kernel k(Z: f32[N]) -> Q: f32 { tmp T: f16[N]; T[i] = f16(3*Z[i]); Q[i] = f32(T[i]) + 0.25 }",
             "kernel k(Z: f32[N]) -> Q: f32 { Q[i] = f32(f16(sqrt(abs(Z[i])))) - f32(bf16(2*Z[i])) }",
         })
        for (const Leg& leg : all_legs()) {
            if (!runs_here(leg)) continue;
            const Kernel kernel = parse(text).value().kernels.at(0);
            const CallData data = call_of(kernel, {{"N", 70}}, inputs);
            const Tensors outputs = outputs_of(Executor(kernel, leg, {}), data);
            const Tensors expected = interpret(kernel, data.numbers, data.inputs, data.scalars).value();
            for (std::int64_t i = 0; i < 70; i++)
                EXPECT_EQ(outputs.at("Q").real(i), expected.at("Q").real(i)) << i << " of " << text << leg.name;
            if (&leg == &best_leg_here()) break;
        }
}

TEST(Verify, MeetsInfinitiesAndNan) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Kernel kernel = parse("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i] }").value().kernels.at(0);
    const CallData data = call_of(kernel, {{"N", 2}}, {{"X", values(Type::f32, {2}, {infinity, nan})}});
    const auto verified = [&](double first, double second) {
        const auto result = guarded([&] {
            verify(kernel, data, {{"Y", values(Type::f32, {2}, {first, second})}});
            return true;
        });
        return result ? std::string() : result.error().what;
    };
    EXPECT_EQ(verified(infinity, nan), "");
    EXPECT_EQ(verified(3e38, nan), "");
    EXPECT_EQ(verified(1, nan), "Y[0] is 1, but the interpreter gives inf; rounding explains 0");
    EXPECT_EQ(verified(-infinity, nan), "Y[0] is -inf, but the interpreter gives inf; rounding explains 0");
    EXPECT_EQ(verified(nan, nan), "Y[0] is nan, but the interpreter gives inf; rounding explains 0");
    EXPECT_EQ(verified(infinity, 1), "Y[1] is 1, but the interpreter gives nan; rounding explains 0");
}

/// Halide and LLVM work out `x - x`, `x/x`, `0*x` and `0/x` for every number, and of a loop that is written out the index is one.
TEST(SpecialValues, WhatIsTheSameForEveryNumberIsStillNanWhereThatIsNone) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const Type type : {Type::f32, Type::f64, Type::bf16}) {
        const HostTensor x = values(type, {6}, {infinite, -infinite, nan, 0, 1.5, -41});
        for (const char* value : {"X[i] - X[i]", "X[i]/X[i]", "0*X[i]", "X[i]*0.0", "0/X[i]", "X[i]*%t(i - i)"})
            expect_same_nans(filled(fmt::format("kernel k(X: %t[N]) -> Y: %t {{ Y[i] = {} }}", value), to_string(type)),
                             {{"N", 6}}, {{"X", x}});
        expect_same_nans(filled("kernel k(X: %t[N]) -> Y: %t[3] { Y[b] += X[i]*%t(b) }", to_string(type)), {{"N", 6}},
                         {{"X", x}});
    }
}

/// LLVM makes `select(M[i], x, 0)` of a product with a condition.
TEST(SpecialValues, AProductWithAConditionIsNanWhereTheOtherFactorIsInfinite) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const Type type : {Type::f32, Type::f64, Type::bf16}) {
        const HostTensor x = values(type, {4}, {infinite, -infinite, nan, 1.5});
        const HostTensor m = values(Type::boolean, {4}, {0, 0, 1, 1});
        for (const char* value : {"%t(M[i])*X[i]", "X[i]*%t(not M[i])", "X[i]*%t(X[i] < 2)", "(%t(M[i]) - 1)*X[i]",
                                  "select(M[i], 1.0, 0.0)*X[i]", "X[i]*-select(M[i], 0, 2)*2"})
            expect_same_nans(
                filled(fmt::format("kernel k(M: bool[N], X: %t[N]) -> Y: %t {{ Y[i] = {} }}", value), to_string(type)),
                {{"N", 4}}, {{"M", m}, {"X", x}});
    }
}

/// LLVM makes `a*x - x` of `(a - 1)*x`.
TEST(SpecialValues, AFactorLessOneTimesInfinityIsInfinite) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const Type type : {Type::f32, Type::f64, Type::bf16}) {
        const HostTensor x = values(type, {5}, {infinite, -infinite, nan, infinite, 2});
        const HostTensor a = values(type, {5}, {3, -3, 1, 0, 1});
        for (const char* value : {"(A[i] - 1)*X[i]", "X[i]*(1 - A[i])", "X[i]*(A[i] + 1)", "(-1 - A[i])*X[i]*X[i]"})
            expect_same_nans(
                filled(fmt::format("kernel k(A: %t[N], X: %t[N]) -> Y: %t {{ Y[i] = {} }}", value), to_string(type)),
                {{"N", 5}}, {{"A", a}, {"X", x}});
    }
}

/// `a - a % b` is no quotient times b of reals, and 41 % 41 is 0 though 41*(1/41) is below 1.
TEST(SpecialValues, RemaindersOfRealsAreWhatTheNotationSays) {
    std::vector<double> multiples;
    for (int i = 0; i < 200; i++) multiples.push_back(i % 2 ? 41 * i : 0.5 * i);
    for (const Type type : {Type::f32, Type::f64})
        for (const char* value : {"X[i] % 41", "X[i] - X[i] % 41", "X[i] - X[i] % 3.0", "X[i] % Z"}) {
            const std::string text =
                fmt::format("kernel k(X: {0}[N], Z: {0}) -> Y: {0} {{ Y[i] = {1} }}", to_string(type), value);
            SCOPED_TRACE(text);
            const Kernel kernel = parse(text).value().kernels.at(0);
            const Executor executor(kernel, choose_leg(""), {});
            const CallData data = call_of(kernel, {{"N", 200}}, {{"X", values(type, {200}, multiples)}});
            const HostTensor expected = interpret(kernel, data.numbers, data.inputs, data.scalars).value().at("Y");
            const HostTensor computed = outputs_of(executor, data).at("Y");
            for (std::int64_t i = 0; i < 200; i++) EXPECT_EQ(computed.real(i), expected.real(i)) << "element " << i;
        }
}

}  // namespace
}  // namespace halogen
