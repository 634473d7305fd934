// Values and places of one equation as Halide expressions.

#include "frontend/lower/scope.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

namespace halogen::lowering {

namespace {

using Halide::Internal::make_const;

Halide::Expr combine(BinaryOp op, const Halide::Expr& a, const Halide::Expr& b) {
    switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    case BinaryOp::mod: return a % b;
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    case BinaryOp::ge: return a >= b;
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

Halide::Expr Emitter::predicates() {
    Halide::Expr all;
    for (const Expr* predicate : predicates_of(equation)) {
        const Halide::Expr p = value(*predicate, Type::boolean);
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
