#pragma once
// The arithmetic of the notation on single values, exactly as docs/notation.md ("Types") states it. Values of float types
// are carried as double, already rounded to the type they are computed in; all others as int64 (bool: 0 or 1).

#include "frontend/notation/expr.h"
#include "frontend/notation/program.h"
#include "frontend/notation/type.h"

#include <cstdint>

namespace halogen {

__extension__ typedef __int128 Int128;

/// The least and the greatest value of an integer type or bool.
std::int64_t lowest_integer(Type);
std::int64_t highest_integer(Type);

/// Rounds to the type that values of `t` are computed in: f32 for f32, f16 and bf16.
double round_to_compute(Type t, double value);
/// Rounds to `t` itself, as a store does.
double round_to_storage(Type t, double value);

/// `value` as an integer of type `t`: 8 and 16 bits (and bool) wrap.
/// Errors: Failure(overflow) when i32, u32 or i64 does not hold it; `text` says what was computed.
std::int64_t fit_integer(Type t, Int128 value, const char* text);

/// `+ - * / %` on integers (`/`, `%` Euclidean, 0 for a zero divisor) and on floats. Errors: as fit_integer.
std::int64_t integer_arithmetic(BinaryOp, Type, std::int64_t a, std::int64_t b);
double real_arithmetic(BinaryOp, Type, double a, double b);

template<typename T>
bool compare_values(BinaryOp op, T a, T b) {
    switch (op) {
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    default: return a >= b;
    }
}

/// A function of one or two arguments on floats of type `t`, rounded once; select is not among them.
double real_function(Function, Type t, double a, double b);
/// The same on integers: min, max, abs, and floor, ceil, round, which change nothing.
std::int64_t integer_function(Function, Type t, std::int64_t a, std::int64_t b);

/// Casts. Float to integer truncates and saturates, NaN gives 0; integer to integer wraps; to bool: is it not zero.
std::int64_t real_to_integer(Type to, double value);
std::int64_t integer_to_integer(Type to, std::int64_t value);
double integer_to_real(Type to, std::int64_t value);

/// The neutral elements of the reductions; 0 for `=`.
double real_identity(Op);
std::int64_t integer_identity(Op, Type);

/// One step of a reduction. Floats accumulate in double whatever the type: the notation lets sums be reassociated, and
/// the most accurate of the admitted answers makes the best oracle.
double reduce_real(Op, double accumulated, double value);
std::int64_t reduce_integer(Op, Type, std::int64_t accumulated, std::int64_t value);

}  // namespace halogen
