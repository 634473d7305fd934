#include "frontend/interpret/arithmetic.h"

#include "frontend/base/error.h"

#include <Eigen/Core>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace halogen {

namespace {

int bits_of(Type t) { return t == Type::boolean ? 1 : 8 * bytes_of(t); }

std::int64_t wrap(Type t, Int128 value) {
    if (t == Type::boolean) return value != 0;
    const int bits = bits_of(t);
    const Int128 modulus = static_cast<Int128>(1) << bits;
    Int128 r = value % modulus;
    if (r < 0) r += modulus;
    if (is_signed(t) && r >= modulus / 2) r -= modulus;
    return static_cast<std::int64_t>(r);
}

std::int64_t euclidean_div(std::int64_t a, std::int64_t b, Type t) {
    if (b == 0) return 0;
    const Int128 wide_a = a, wide_b = b;
    Int128 q = wide_a / wide_b;
    if (wide_a % wide_b < 0) q += wide_b > 0 ? -1 : 1;
    return fit_integer(t, q, "a quotient");
}

std::int64_t euclidean_mod(std::int64_t a, std::int64_t b) {
    if (b == 0) return 0;
    const Int128 wide_b = b < 0 ? -static_cast<Int128>(b) : b;
    Int128 r = static_cast<Int128>(a) % wide_b;
    if (r < 0) r += wide_b;
    return static_cast<std::int64_t>(r);
}

/// NaN where an operand is NaN, as NumPy's `maximum`.
double greater_of(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double less_of(double a, double b) { return std::isnan(a) || a < b ? a : b; }

}  // namespace

std::int64_t lowest_integer(Type t) {
    if (!is_signed(t)) return 0;
    return t == Type::i64 ? std::numeric_limits<std::int64_t>::min() : -(std::int64_t{1} << (bits_of(t) - 1));
}

std::int64_t highest_integer(Type t) {
    if (t == Type::i64) return std::numeric_limits<std::int64_t>::max();
    return (std::int64_t{1} << (bits_of(t) - (is_signed(t) ? 1 : 0))) - 1;
}

double round_to_compute(Type t, double value) { return t == Type::f64 ? value : static_cast<float>(value); }

double round_to_storage(Type t, double value) {
    switch (t) {
    case Type::f16: return static_cast<float>(Eigen::half(static_cast<float>(value)));
    case Type::bf16: return static_cast<float>(Eigen::bfloat16(static_cast<float>(value)));
    default: return round_to_compute(t, value);
    }
}

std::int64_t fit_integer(Type t, Int128 value, const char* text) {
    if (value >= lowest_integer(t) && value <= highest_integer(t)) return static_cast<std::int64_t>(value);
    if (bits_of(t) <= 16) return wrap(t, value);
    throw Failure(Error{ErrorKind::overflow,
                        fmt::format("{} overflows {}", text, to_string(t)),
                        {},
                        "",
                        "cast to a wider type before computing"});
}

std::int64_t integer_arithmetic(BinaryOp op, Type t, std::int64_t a, std::int64_t b) {
    const Int128 x = a, y = b;
    switch (op) {
    case BinaryOp::add: return fit_integer(t, x + y, "a sum");
    case BinaryOp::sub: return fit_integer(t, x - y, "a difference");
    case BinaryOp::mul: return fit_integer(t, x * y, "a product");
    case BinaryOp::div: return euclidean_div(a, b, t);
    default: return euclidean_mod(a, b);
    }
}

double real_arithmetic(BinaryOp op, Type t, double a, double b) {
    // Both operands are f32 values when t is not f64; then + - * / in double, rounded to f32, equal the f32 operation.
    switch (op) {
    case BinaryOp::add: return round_to_compute(t, a + b);
    case BinaryOp::sub: return round_to_compute(t, a - b);
    case BinaryOp::mul: return round_to_compute(t, a * b);
    case BinaryOp::div: return round_to_compute(t, a / b);
    default: return round_to_compute(t, a - b * std::floor(a / b));
    }
}

double real_function(Function f, Type t, double a, double b) {
    switch (f) {
    case Function::min: return less_of(a, b);
    case Function::max: return greater_of(a, b);
    case Function::abs: return std::abs(a);
    case Function::floor: return std::floor(a);
    case Function::ceil: return std::ceil(a);
    case Function::round: return std::nearbyint(a);  // the default rounding mode: half to even
    case Function::sqrt: return round_to_compute(t, std::sqrt(a));
    case Function::rsqrt: return round_to_compute(t, 1 / std::sqrt(a));
    case Function::exp: return round_to_compute(t, std::exp(a));
    case Function::log: return round_to_compute(t, std::log(a));
    case Function::sin: return round_to_compute(t, std::sin(a));
    case Function::cos: return round_to_compute(t, std::cos(a));
    case Function::tanh: return round_to_compute(t, std::tanh(a));
    case Function::erf: return round_to_compute(t, std::erf(a));
    case Function::sigmoid: return round_to_compute(t, 1 / (1 + std::exp(-a)));
    case Function::pow: return round_to_compute(t, std::pow(a, b));
    case Function::select: break;
    }
    return 0;
}

std::int64_t integer_function(Function f, Type t, std::int64_t a, std::int64_t b) {
    switch (f) {
    case Function::min: return std::min(a, b);
    case Function::max: return std::max(a, b);
    case Function::abs: return a < 0 ? fit_integer(t, -static_cast<Int128>(a), "an absolute value") : a;
    case Function::floor:
    case Function::ceil:
    case Function::round: return a;
    default:
        throw Failure(Error{ErrorKind::type,
                            fmt::format("`{}` takes floats, not {}", to_string(f), to_string(t)),
                            {},
                            "",
                            "cast the argument, for example f32(...)"});
    }
}

std::int64_t real_to_integer(Type to, double value) {
    if (to == Type::boolean) return value != 0;
    if (std::isnan(value)) return 0;
    const double truncated = std::trunc(value);
    // 2^63 is a double and 2^63 - 1 is not: compare against the first value above the range.
    const double above = std::ldexp(1.0, bits_of(to) - (is_signed(to) ? 1 : 0));
    if (truncated >= above) return highest_integer(to);
    if (truncated <= static_cast<double>(lowest_integer(to))) return lowest_integer(to);
    return static_cast<std::int64_t>(truncated);
}

std::int64_t integer_to_integer(Type to, std::int64_t value) { return wrap(to, value); }

double integer_to_real(Type to, std::int64_t value) {
    // Straight to the type it is computed in: i64 to f32 by way of double would round twice.
    const double computed = to == Type::f64 ? static_cast<double>(value) : static_cast<float>(value);
    return round_to_storage(to, computed);
}

double real_identity(Op op) {
    switch (op) {
    case Op::mul: return 1;
    case Op::max: return -std::numeric_limits<double>::infinity();
    case Op::min: return std::numeric_limits<double>::infinity();
    default: return 0;
    }
}

std::int64_t integer_identity(Op op, Type t) {
    switch (op) {
    case Op::mul:
    case Op::logical_and: return 1;
    case Op::max: return lowest_integer(t);
    case Op::min: return highest_integer(t);
    default: return 0;
    }
}

double reduce_real(Op op, double accumulated, double value) {
    switch (op) {
    case Op::add: return accumulated + value;
    case Op::mul: return accumulated * value;
    case Op::max: return greater_of(accumulated, value);
    case Op::min: return less_of(accumulated, value);
    default: return value;
    }
}

std::int64_t reduce_integer(Op op, Type t, std::int64_t accumulated, std::int64_t value) {
    switch (op) {
    case Op::add: return fit_integer(t, static_cast<Int128>(accumulated) + value, "a sum");
    case Op::mul: return fit_integer(t, static_cast<Int128>(accumulated) * value, "a product");
    case Op::max: return std::max(accumulated, value);
    case Op::min: return std::min(accumulated, value);
    case Op::logical_and: return accumulated && value;
    case Op::logical_or: return accumulated || value;
    case Op::assign: break;
    }
    return value;
}

}  // namespace halogen
