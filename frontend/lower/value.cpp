// Values and places of one equation as Halide expressions.

#include "frontend/lower/scope.h"

namespace halogen::lowering {

namespace {

using Halide::Internal::make_const;

/// Only literals, sizes and indices: takes its type from what stands beside it.
bool is_free(const Expr& e) {
    bool free = true;
    walk(e, [&](const Expr& x) { free = free && !x.as<Access>() && !x.as<ScalarRef>() && !x.as<Cast>(); });
    return free;
}

bool holds_real(const Expr& e) {
    bool real = false;
    walk(e, [&](const Expr& x) { real = real || x.as<RealLiteral>(); });
    return real;
}

bool is_logical(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or; }

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

bool holds_data(const Expr& e) {
    bool data = false;
    walk(e, [&](const Expr& x) { data = data || x.as<Access>(); });
    return data;
}

Halide::Expr Emitter::operand_pair(const Binary& b, Type want) {
    Type type = want;
    if (is_logical(b.op)) type = Type::boolean;
    else if (!is_free(*b.left)) type = type_of(kernel, equation, *b.left);
    else if (!is_free(*b.right)) type = type_of(kernel, equation, *b.right);
    else if (is_comparison(b.op)) type = holds_real(*b.left) || holds_real(*b.right) ? Type::f32 : Type::i64;
    return combine(b.op, value(*b.left, type), value(*b.right, type));
}

Halide::Expr Emitter::value(const Expr& e, Type want) {
    const Halide::Type t = halide_type(compute_type(want));
    if (auto* literal = e.as<IntegerLiteral>()) return make_const(t, literal->value);
    if (auto* literal = e.as<RealLiteral>()) return make_const(t, literal->value);
    if (auto* size = e.as<SizeRef>()) return Halide::cast(t, halide_expr(sizes.at(size->name), symbols));
    if (auto* index = e.as<IndexRef>()) return Halide::cast(t, indices.at(index->name));
    if (auto* scalar = e.as<ScalarRef>()) {
        const Type from = kernel.find_scalar(scalar->name)->type;
        return Halide::cast(halide_type(compute_type(from)), scalars.at(scalar->name));
    }
    if (auto* access = e.as<Access>()) {
        const Halide::Expr stored = source.load(*access, *this);
        return Halide::cast(halide_type(compute_type(kernel.tensor(access->tensor).type)), stored);
    }
    if (auto* c = e.as<Cast>()) {
        const Type from = is_free(*c->value) ? (holds_real(*c->value) ? Type::f32 : Type::i64) : type_of(kernel, equation, *c->value);
        if (is_free(*c->value) && !holds_real(*c->value)) return convert(value(*c->value, Type::i64), Type::i64, c->to);
        return convert(value(*c->value, from), from, c->to);
    }
    if (auto* u = e.as<Unary>()) {
        if (u->op == UnaryOp::logical_not) return !value(*u->value, Type::boolean);
        const Halide::Expr x = value(*u->value, want);
        return make_const(x.type(), 0) - x;
    }
    if (auto* b = e.as<Binary>()) return operand_pair(*b, want);
    const auto& call = *e.as<Call>();
    std::vector<Halide::Expr> arguments;
    Type type = want;
    const size_t first = call.function == Function::select ? 1 : 0;
    for (size_t i = call.arguments.size(); i-- > first;)
        if (!is_free(call.arguments[i])) type = type_of(kernel, equation, call.arguments[i]);
    if (first) arguments.push_back(value(call.arguments[0], Type::boolean));
    for (size_t i = first; i < call.arguments.size(); i++) arguments.push_back(value(call.arguments[i], type));
    return call_function(call.function, type, arguments);
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
    if (auto* c = e.as<Cast>()) return place(*c->value);
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
