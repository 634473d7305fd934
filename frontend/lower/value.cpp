// Values and places of one equation as Halide expressions.

#include "frontend/lower/scope.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

namespace halogen::lowering {

namespace {

using Halide::Internal::make_const;

using IrCall = Halide::Internal::Call;

Halide::Expr strict(IrCall::IntrinsicOp op, const Halide::Expr& a, const Halide::Expr& b) {
    return IrCall::make(Halide::Bool(a.type().lanes()), op, {a, b}, IrCall::PureIntrinsic);
}

Halide::Expr is_equal(const Halide::Expr& a, const Halide::Expr& b) {
    return a.type().is_float() ? strict(IrCall::strict_eq, a, b) : a == b;
}

Halide::Expr is_less(const Halide::Expr& a, const Halide::Expr& b) {
    return a.type().is_float() ? strict(IrCall::strict_lt, a, b) : a < b;
}

/// False where an operand is NaN: Halide takes `a <= b`, the strict one too, for `!(b < a)`. LLVM makes one comparison of both.
Halide::Expr is_at_most(const Halide::Expr& a, const Halide::Expr& b) {
    return a.type().is_float() ? is_less(a, b) || is_equal(a, b) : a <= b;
}

Halide::Expr combine(BinaryOp op, const Halide::Expr& a, const Halide::Expr& b) {
    switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    case BinaryOp::mod: return a % b;
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
        return u->op == UnaryOp::logical_not ? !x : make_const(x.type(), 0) - x;
    }
    if (auto* b = e.as<Binary>()) return combine(b->op, value(*b->left, operands), value(*b->right, operands));
    const Call& call = *e.as<Call>();
    std::vector<Halide::Expr> arguments;
    for (const Expr& argument : call.arguments) {
        const bool condition = call.function == Function::select && arguments.empty();
        arguments.push_back(value(argument, condition ? Type::boolean : operands));
    }
    return call_function(call.function, own, arguments);
}

Halide::Expr Emitter::right() { return value(equation.right, kernel.tensor(equation.left.tensor).type); }

Halide::Expr Emitter::predicates(std::size_t most) {
    Halide::Expr all;
    const auto predicates = predicates_of(equation);
    for (std::size_t i = 0; i < std::min(most, predicates.size()); ++i) {
        const Halide::Expr p = value(*predicates[i], Type::boolean);
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

Halide::Expr Emitter::place(const Expr& e) {
    if (auto* literal = e.as<IntegerLiteral>()) return static_cast<int>(literal->value);
    if (auto* size = e.as<SizeRef>()) return halide_expr(sizes.at(size->name), symbols);
    if (auto* index = e.as<IndexRef>()) {
        const Halide::Expr loop = indices.at(index->name);
        const auto end = ends.find(index->name);
        return !clamped || end == ends.end() ? loop : Halide::min(loop, end->second - 1);
    }
    if (auto* access = e.as<Access>()) return Halide::cast(Halide::Int(wide ? 64 : 32), source.load(*access, *this));
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

std::vector<Halide::Expr> Emitter::places(const Access& a) {
    std::vector<Halide::Expr> result;
    for (const Expr& e : a.at) result.push_back(place(e));
    return result;
}

}  // namespace halogen::lowering
