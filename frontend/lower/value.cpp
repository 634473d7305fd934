// Values and places of one equation as Halide expressions.

#include "frontend/lower/scope.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace halogen::lowering {

namespace {

using Halide::Internal::make_const;

using IrCall = Halide::Internal::Call;

Halide::Expr strict(Halide::Type type, IrCall::IntrinsicOp op, const Halide::Expr& a, const Halide::Expr& b) {
    return IrCall::make(type, op, {a, b}, IrCall::PureIntrinsic);
}

Halide::Expr is_equal(const Halide::Expr& a, const Halide::Expr& b) {
    return a.type().is_float() ? strict(Halide::Bool(), IrCall::strict_eq, a, b) : a == b;
}

Halide::Expr is_less(const Halide::Expr& a, const Halide::Expr& b) {
    return a.type().is_float() ? strict(Halide::Bool(), IrCall::strict_lt, a, b) : a < b;
}

/// False where an operand is NaN: Halide takes `a <= b`, the strict one too, for `!(b < a)`. LLVM makes one comparison of both.
Halide::Expr is_at_most(const Halide::Expr& a, const Halide::Expr& b) {
    return a.type().is_float() ? is_less(a, b) || is_equal(a, b) : a <= b;
}

/// A condition, or `not` of it, as arithmetic, which LLVM sees through. Halide 21 asks of each intermediate under which conditions it
/// is needed, and ends with an internal error ("argument of Not is not a bool") where one of them is `not` of a name that it gave to
/// data; products and sums with numbers get no name.
Halide::Expr arithmetic(const Halide::Expr& condition, bool negated) {
    const Halide::Expr bits = Halide::cast(Halide::UInt(8), condition);
    return Halide::cast(condition.type(),
                        negated ? bits + make_const(bits.type(), 255) : bits * make_const(bits.type(), 3));
}

/// Of reals Halide takes `a - a % b` for a, and LLVM a quotient by a constant for a product with its reciprocal, which makes 41 of `41 % 41`.
Halide::Expr remainder(const Halide::Expr& a, const Halide::Expr& b) {
    if (!a.type().is_float()) return a % b;
    return a - b * Halide::floor(strict(a.type(), IrCall::strict_div, a, b));
}

Halide::Expr combine(BinaryOp op, const Halide::Expr& a, const Halide::Expr& b) {
    switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    case BinaryOp::mod: return remainder(a, b);
    case BinaryOp::eq: return is_equal(a, b);
    case BinaryOp::ne: return !is_equal(a, b);
    case BinaryOp::lt: return is_less(a, b);
    case BinaryOp::le: return is_at_most(a, b);
    case BinaryOp::gt: return is_less(b, a);
    case BinaryOp::ge: return is_at_most(b, a);
    case BinaryOp::logical_and: return a && b;
    default: return a || b;
    }
}

/// A number that may be 0 where a loop is written out: of sizes and indices, which are numbers there. Or by a choice: Halide takes
/// `select(c, 1, 0)*x` for `select(c, x, 0)`.
bool may_become_zero(const Expr& e) {
    if (auto* c = e.as<Cast>()) return may_become_zero(*c->value);
    if (auto* u = e.as<Unary>()) return may_become_zero(*u->value);
    if (auto* literal = e.as<RealLiteral>()) return literal->value == 0;
    if (auto* literal = e.as<IntegerLiteral>()) return literal->value == 0;
    if (e.as<IndexRef>() || e.as<SizeRef>()) return true;
    if (auto* call = e.as<Call>(); call && call->function == Function::select) {
        const Expr &yes = call->arguments[1], &no = call->arguments[2];
        return !depends_on_data(yes) && !depends_on_data(no) && (may_become_zero(yes) || may_become_zero(no));
    }
    const auto* b = e.as<Binary>();
    if (!b || depends_on_data(e)) return false;
    const bool left = may_become_zero(*b->left);
    return b->op == BinaryOp::div ? left : b->op != BinaryOp::mul || left || may_become_zero(*b->right);
}

/// The operation that Halide and LLVM may not work out without the value of its operands: `x - x` and `0*x` are NaN where x is infinite, `x/x` and `0/x` where it is 0.
std::optional<IrCall::IntrinsicOp> strict_operation(const Binary& b) {
    const bool is_same = *b.left == *b.right;
    switch (b.op) {
    case BinaryOp::sub: return is_same ? std::optional(IrCall::strict_sub) : std::nullopt;
    case BinaryOp::div: return is_same || may_become_zero(*b.left) ? std::optional(IrCall::strict_div) : std::nullopt;
    case BinaryOp::mul:
        return may_become_zero(*b.left) || may_become_zero(*b.right) ? std::optional(IrCall::strict_mul) : std::nullopt;
    default: return std::nullopt;
    }
}

/// At most one index or size, and a number.
struct Shifted {
    Expr of;
    std::int64_t by = 0;
};
std::optional<Shifted> shifted(const Expr& e) {
    constexpr std::int64_t most = 1 << 20;
    if (auto* literal = e.as<IntegerLiteral>())
        return std::abs(literal->value) <= most ? std::optional(Shifted{{}, literal->value}) : std::nullopt;
    if (e.as<IndexRef>() || e.as<SizeRef>()) return Shifted{e, 0};
    const auto* sum = e.as<Binary>();
    if (!sum || (sum->op != BinaryOp::add && sum->op != BinaryOp::sub)) return std::nullopt;
    const auto a = shifted(*sum->left), b = shifted(*sum->right);
    if (!a || !b || (b->of.defined() && (a->of.defined() || sum->op == BinaryOp::sub))) return std::nullopt;
    const std::int64_t by = a->by + (sum->op == BinaryOp::add ? b->by : -b->by);
    return std::abs(by) <= most ? std::optional(Shifted{a->of.defined() ? a->of : b->of, by}) : std::nullopt;
}

/// An index or a formula of sizes that data or a scalar are compared with. Those may be any number of their type, and Halide moves what
/// is added to one side of a comparison over to the other, `s - 100 <= j` for `s <= j + 100`, as if nothing overflowed. (A number that is
/// added to a size stays where it is; it may keep places inside.)
bool needs_hiding(const Expr& e, const Expr& other) {
    if (depends_on_data(e) || !depends_on_data(other)) return false;
    const auto size = shifted(e);
    return !size || (size->of.defined() && size->of.as<IndexRef>());
}

}  // namespace

Halide::Expr Emitter::value(const Expr& e, Type wanted) {
    if (auto* access = e.as<Access>()) {
        const Halide::Expr stored = source.load(*access, *this);
        return Halide::cast(halide_type(compute_type(kernel.tensor(access->tensor).type)), stored);
    }
    if (auto* scalar = e.as<ScalarRef>()) {
        const Type from = kernel.find_scalar(scalar->name)->type;
        return Halide::cast(halide_type(compute_type(from)), scalars.at(scalar->name));
    }
    const Halide::Type t = halide_type(compute_type(wanted));
    if (auto* literal = e.as<IntegerLiteral>()) return make_const(t, literal->value);
    if (auto* literal = e.as<RealLiteral>()) return make_const(t, literal->value);
    if (auto* size = e.as<SizeRef>()) return Halide::cast(t, halide_expr(sizes.at(size->name), symbols));
    if (auto* index = e.as<IndexRef>()) return Halide::cast(t, indices.at(index->name));
    return operation(e, wanted);
}

Halide::Expr Emitter::operation(const Expr& e, Type wanted) {
    const auto [own, operands] = types_in(kernel, equation, e, wanted);
    if (auto* c = e.as<Cast>()) return convert(value(*c->value, operands), operands, c->to);
    if (auto* u = e.as<Unary>()) {
        const Halide::Expr x = value(*u->value, operands);
        if (u->op != UnaryOp::logical_not) return make_const(x.type(), 0) - x;
        return depends_on_data(e) ? arithmetic(x, true) : !x;
    }
    if (auto* b = e.as<Binary>()) {
        if (const Halide::Expr compared = is_comparison(b->op) ? compared_places(*b) : Halide::Expr();
            compared.defined())
            return compared;
        const bool is_logical = b->op == BinaryOp::logical_and || b->op == BinaryOp::logical_or;
        Halide::Expr left = is_logical ? condition(*b->left) : value(*b->left, operands);
        Halide::Expr right = is_logical ? condition(*b->right) : value(*b->right, operands);
        if (is_comparison(b->op) && left.type().is_int()) {
            if (needs_hiding(*b->left, *b->right)) left = opaque(left);
            if (needs_hiding(*b->right, *b->left)) right = opaque(right);
        }
        if (const auto op = strict_operation(*b); op && left.type().is_float() && depends_on_data(e))
            return strict(left.type(), *op, left, right);
        return b->op == BinaryOp::ne && depends_on_data(e) ? arithmetic(is_equal(left, right), true)
                                                           : combine(b->op, left, right);
    }
    const Call& call = *e.as<Call>();
    std::vector<Halide::Expr> arguments;
    for (const Expr& argument : call.arguments) {
        const bool decides = call.function == Function::select && arguments.empty();
        arguments.push_back(decides ? condition(argument) : value(argument, operands));
    }
    return call_function(call.function, own, arguments);
}

Halide::Expr Emitter::compared_places(const Binary& b) {
    const auto left = shifted(*b.left), right = shifted(*b.right);
    if (!left || !right) return {};
    const auto at = [&](const Shifted& s, std::int64_t by) {
        const Halide::Expr number = make_const(Halide::Int(32), by);
        return s.of.defined() ? place(s.of) + number : number;
    };
    const std::int64_t apart = right->by - left->by;  // taken from one side, which is not below 0: nothing overflows
    return combine(b.op, at(*left, std::min<std::int64_t>(-apart, 0)), at(*right, std::min<std::int64_t>(apart, 0)));
}

Halide::Expr Emitter::condition(const Expr& e) {
    const Halide::Expr decides = value(e, Type::boolean);
    return depends_on_data(e) ? arithmetic(decides, false) : decides;
}

/// `Y[n] = max(Y[n - 1], X[n])` holds what it is the greatest of, as `Y max= X[n]` does: each step waits for the comparison alone.
Halide::Expr Emitter::running_extreme(Type wanted) {
    const auto* call = equation.right.as<Call>();
    const bool is_extreme = call && (call->function == Function::max || call->function == Function::min);
    if (!is_extreme || !is_float(wanted) || types_in(kernel, equation, equation.right, wanted).operands != wanted)
        return {};
    for (const std::size_t own : {0, 1}) {
        const auto* held = call->arguments[own].as<Access>();
        if (held && held->tensor == equation.left.tensor)
            return extreme(call->function == Function::max ? Op::max : Op::min, value(call->arguments[own], wanted),
                           value(call->arguments[1 - own], wanted));
    }
    return {};
}

Halide::Expr Emitter::right() {
    const Type wanted = kernel.tensor(equation.left.tensor).type;
    const Halide::Expr extreme = running_extreme(wanted);
    return extreme.defined() ? extreme : value(equation.right, wanted);
}

Halide::Expr Emitter::predicates(std::size_t most) {
    Halide::Expr all;
    const auto predicates = predicates_of(equation);
    for (std::size_t i = 0; i < std::min(most, predicates.size()); ++i) {
        const Halide::Expr p = condition(*predicates[i]);
        all = all.defined() ? all && p : p;
    }
    return all;
}

/// The solver sees to it that a cast to more than 16 bits keeps the value, where it has a formula.
Halide::Expr Emitter::cast_place(const Expr& e, const Cast& c) {
    const Halide::Type type = Halide::Int(wide ? 64 : 32);
    if (!has_formula(e)) return Halide::cast(type, value(e, Type::i64));
    const Halide::Expr kept = place(*c.value);
    const bool narrow = halide_type(c.to).bits() <= 16;
    return narrow ? Halide::cast(type, Halide::cast(halide_type(c.to), kept)) : kept;
}

/// An element as a place of 64 bits. Halide simplifies by knowing that u32 is not below 0, and when it asks how far a tensor is read knows it
/// no more: a place that is held back from below 0 would reach without end.
static Halide::Expr wide_place(const Halide::Expr& element) {
    const Halide::Type wide = Halide::Int(64);
    if (element.type() != Halide::UInt(32)) return Halide::cast(wide, element);
    return Halide::cast(wide, Halide::reinterpret<std::int32_t>(element)) % make_const(wide, std::int64_t{1} << 32);
}

Halide::Expr Emitter::place(const Expr& e) {
    if (auto* literal = e.as<IntegerLiteral>()) return static_cast<int>(literal->value);
    if (auto* size = e.as<SizeRef>()) return halide_expr(sizes.at(size->name), symbols);
    if (auto* index = e.as<IndexRef>()) {
        const Halide::Expr& loop = indices.at(index->name);
        const auto end = ends.find(index->name);
        if (!clamped || end == ends.end()) return loop;
        // Likely: where loops are partitioned, the last tile alone is held back.
        return Halide::min(Halide::likely(loop), end->second - 1);
    }
    if (auto* access = e.as<Access>()) {
        const bool outside = std::exchange(clamped, true);
        const Halide::Expr read = source.load(*access, *this);
        clamped = outside;
        return wide ? wide_place(read) : Halide::cast(Halide::Int(32), read);
    }
    if (auto* c = e.as<Cast>()) return cast_place(e, *c);
    if (auto* u = e.as<Unary>()) return -place(*u->value);
    if (auto* call = e.as<Call>()) {
        std::vector<Halide::Expr> arguments;
        for (const Expr& a : call->arguments) arguments.push_back(place(a));
        return call_function(call->function, wide ? Type::i64 : Type::i32, arguments);
    }
    const auto& b = *e.as<Binary>();
    return combine(b.op, place(*b.left), place(*b.right));
}

Halide::Expr Emitter::open_place(const Expr& e) {
    const bool outside = std::exchange(clamped, false);
    const Halide::Expr open = place(e);
    clamped = outside;
    return open;
}

std::vector<Halide::Expr> Emitter::places(const Access& a) {
    std::vector<Halide::Expr> result;
    for (const Expr& e : a.at) result.push_back(place(e));
    return result;
}

std::vector<Halide::Expr> Emitter::open_places(const Access& a) {
    std::vector<Halide::Expr> result;
    for (const Expr& e : a.at) result.push_back(open_place(e));
    return result;
}

}  // namespace halogen::lowering
