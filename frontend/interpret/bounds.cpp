// How far two correct evaluations of a kernel may differ: running error analysis (Wilkinson, "Rounding errors in
// algebraic processes", 1963), widened by what compilers do to floats: fused multiply-adds, other orders of sums,
// divisions by reciprocals, polynomials for the elementary functions.

#include "frontend/interpret/arithmetic.h"
#include "frontend/interpret/node.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halogen::interpreting {

namespace {

/// The operation's own rounding, in units of roundoff of its result (`scale` is what the units are of).
double own_rounding(const Node& node, const Value* v, double result) {
    const double a = std::abs(v[0].real), b = std::abs(v[1].real), r = std::abs(result);
    if (node.kind == Node::Kind::arithmetic) {
        switch (node.op) {
        case BinaryOp::add:
        case BinaryOp::sub:
            return 4 * std::max({a, b, r});  // other orders of a sum round at its terms, not at its result
        case BinaryOp::mul: return 2 * r;
        case BinaryOp::div: return 4 * r;
        default: return 4 * std::max(a, r);
        }
    }
    switch (node.function) {
    case Function::min:
    case Function::max:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: return 0;
    case Function::sqrt: return 4 * r;
    case Function::rsqrt: return 8 * r;
    // Reduction of the argument loses as many digits as it takes off.
    case Function::sin:
    case Function::cos: return 16 * std::max(1.0, a);
    case Function::pow: return 16 * r * std::max(1.0, std::abs(v[1].real * std::log(std::max(a, 1e-300))));
    default: return 16 * std::max(r, 0x1p-20);  // the polynomials' absolute error near a zero of the function
    }
}

bool is_exact(const Value* v, std::size_t n) {
    return std::all_of(v, v + n, [](const Value& x) { return x.error == 0; });
}

/// The largest change of the result when the operands move to the ends of their intervals.
double corner_error(const Node& node, const Value* v, double result) {
    double worst = 0;
    for (int corner = 0; corner < 4; corner++) {
        const double a = v[0].real + (corner & 1 ? v[0].error : -v[0].error);
        const double b = v[1].real + (corner & 2 ? v[1].error : -v[1].error);
        const double moved = node.kind == Node::Kind::call ? real_function(node.function, Type::f64, a, b)
                                                           : real_arithmetic(node.op, Type::f64, a, b);
        const double change = std::abs(moved - result);
        worst = std::isnan(change) ? worst : std::max(worst, change);
    }
    // A divisor whose interval holds 0 leaves nothing certain.
    const bool divides = node.kind == Node::Kind::arithmetic && (node.op == BinaryOp::div || node.op == BinaryOp::mod);
    if (divides && v[1].error >= std::abs(v[1].real)) return std::numeric_limits<double>::infinity();
    return worst;
}

double integer_error(const Node& node, const Value* v) {
    const double a = std::abs(static_cast<double>(v[0].integer)), b = std::abs(static_cast<double>(v[1].integer));
    if (node.kind == Node::Kind::arithmetic) {
        if (node.op == BinaryOp::mul) return a * v[1].error + b * v[0].error + v[0].error * v[1].error;
        if (node.op == BinaryOp::div || node.op == BinaryOp::mod) return v[0].error + (v[1].error > 0 ? a + b : 0);
    }
    return v[0].error + v[1].error;
}

double cast_error(const Node& node, const Value& v, const Value& result) {
    if (v.error == 0) return 0;
    if (!is_float(node.operands[0].type)) return v.error;
    if (is_float(node.type)) return v.error + 2 * unit_roundoff(node.type) * std::abs(result.real);
    const auto change = [&](double moved) {
        return std::abs(static_cast<double>(real_to_integer(node.type, moved)) - static_cast<double>(result.integer));
    };
    return std::max(change(v.real + v.error), change(v.real - v.error));
}

}  // namespace

double unit_roundoff(Type t) {
    switch (t) {
    case Type::f64: return 0x1p-53;
    case Type::f16: return 0x1p-11;
    case Type::bf16: return 0x1p-8;
    default: return 0x1p-24;
    }
}

double propagate_error(const Node& node, const Value* v, const Value& result) {
    switch (node.kind) {
    case Node::Kind::cast: return cast_error(node, v[0], result);
    case Node::Kind::negate:
    case Node::Kind::logical_not: return v[0].error;
    case Node::Kind::logic: return std::max(v[0].error, v[1].error);
    case Node::Kind::select: {
        const double chosen = v[0].integer ? v[1].error : v[2].error;
        if (v[0].error == 0) return chosen;
        const double apart = is_float(node.type) ? std::abs(v[1].real - v[2].real)
                                                 : std::abs(static_cast<double>(v[1].integer - v[2].integer));
        return apart + std::max(v[1].error, v[2].error);
    }
    case Node::Kind::compare: {
        if (is_exact(v, 2)) return 0;
        const bool real = is_float(node.operands[0].type);
        const double apart =
            real ? std::abs(v[0].real - v[1].real) : std::abs(static_cast<double>(v[0].integer - v[1].integer));
        return apart <= v[0].error + v[1].error ? 1 : 0;
    }
    default: break;
    }
    if (!is_float(node.type)) return is_exact(v, 2) ? 0 : integer_error(node, v);
    const double moved = is_exact(v, 2) ? 0 : corner_error(node, v, result.real);
    return moved + unit_roundoff(compute_type(node.type)) * own_rounding(node, v, result.real);
}

}  // namespace halogen::interpreting
