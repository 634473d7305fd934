#include "frontend/interpret/node.h"

#include "frontend/interpret/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace halogen::interpreting {

namespace {

Node constant_integer(Type type, std::int64_t value) {
    Node node{.kind = Node::Kind::constant, .type = type};
    if (is_float(type))
        node.constant.real = round_to_compute(type, integer_to_real(compute_type(type), value));
    else
        node.constant.integer = fit_integer(type, value, fmt::format("{}", value).c_str());
    return node;
}

Node constant_real(Type type, double value) {
    Node node{.kind = Node::Kind::constant, .type = type};
    if (is_float(type))
        node.constant.real = round_to_compute(type, value);
    else
        node.constant.integer = real_to_integer(type, value);
    return node;
}

Node cast_to(Type type, Node value) {
    if (value.type == type) return value;
    Node node{.kind = Node::Kind::cast, .type = type};
    node.operands.push_back(std::move(value));
    return node;
}

/// An index as a value: i64, or converted to what stands beside it without a store's rounding.
Node index_node(const Scope& scope, const std::string& name, Type type) {
    Node node{.kind = Node::Kind::index, .type = Type::i64};
    node.slot = static_cast<int>(std::find(scope.indices.begin(), scope.indices.end(), name) - scope.indices.begin());
    return cast_to(compute_type(type), std::move(node));
}

Node scalar_node(const Scope& scope, const std::string& name) {
    const Type type = scope.kernel.find_scalar(name)->type;
    const auto value = scope.scalars.find(name);
    if (value == scope.scalars.end())
        throw Failure(
            Error{ErrorKind::name, fmt::format("the scalar `{}` has no value", name), {}, "", "give it a value"});
    if (auto* real = std::get_if<double>(&value->second)) {
        Node node = constant_real(type, *real);
        if (is_float(type)) node.constant.real = round_to_storage(type, node.constant.real);
        return node;
    }
    return constant_integer(type, std::get<std::int64_t>(value->second));
}

/// An operation, typed as `check` does, so that the interpreter and the compiled kernel agree on what is a float.
Node build_operation(const Scope& scope, const Expr& e, Type want) {
    const auto [own, operands] = types_in(scope.kernel, scope.equation, e, want);
    if (auto* c = e.as<Cast>()) return cast_to(own, build_value(scope, *c->value, operands));
    Node node{.type = own};
    if (auto* u = e.as<Unary>()) {
        const bool logical = u->op == UnaryOp::logical_not;
        // A literal is negated before it must fit: -128 is an i8, 128 is not.
        const auto* literal = u->value->as<IntegerLiteral>();
        if (!logical && literal) return constant_integer(want, -literal->value);
        node.kind = logical ? Node::Kind::logical_not : Node::Kind::negate;
        node.operands = {build_value(scope, *u->value, operands)};
    } else if (auto* b = e.as<Binary>()) {
        const bool logic = b->op == BinaryOp::logical_and || b->op == BinaryOp::logical_or;
        node.kind = logic ? Node::Kind::logic : b->op >= BinaryOp::eq ? Node::Kind::compare : Node::Kind::arithmetic;
        node.op = b->op;
        node.operands = {build_value(scope, *b->left, operands), build_value(scope, *b->right, operands)};
    } else {
        const Call& call = *e.as<Call>();
        const bool select = call.function == Function::select;
        node.kind = select ? Node::Kind::select : Node::Kind::call;
        node.function = call.function;
        for (const Expr& argument : call.arguments) {
            const bool condition = select && node.operands.empty();
            node.operands.push_back(build_value(scope, argument, condition ? Type::boolean : operands));
        }
    }
    return node;
}

Value cast_value(Type from, Type to, Value v) {
    if (is_float(from))
        return is_float(to) ? Value{round_to_storage(to, v.real), 0} : Value{0, real_to_integer(to, v.real)};
    return is_float(to) ? Value{integer_to_real(to, v.integer), 0} : Value{0, integer_to_integer(to, v.integer)};
}

Failure out_of_range(const Node& access, std::size_t dim, std::int64_t place, const std::vector<std::int64_t>& point,
                     const Scope& scope) {
    const Cells& cells = *access.cells;
    const Expr& e = access.access->at[dim];
    const std::string range = fmt::format("[{}, {})", cells.low(dim), cells.high(dim));
    const std::string where = describe_point(scope, point, e);
    Error error{ErrorKind::index, "", access.access->position, scope.equation.text, ""};
    error.what = fmt::format("`{}` is {}{}, outside {} of dim {} of `{}`", print(e), place,
                             where.empty() ? "" : " at " + where, range, dim, cells.name);
    std::string tensor;
    walk(e, [&](const Expr& x) {
        if (auto* a = x.as<Access>(); a && tensor.empty()) tensor = a->tensor;
    });
    error.fix = tensor.empty() ? fmt::format("make `{}` larger, or pad it", cells.name)
                               : fmt::format("keep `{}` inside {}; check the values of `{}`", print(e), range, tensor);
    return Failure(error);
}

/// The place in one dim; adds its error to `uncertain` where that is asked for.
std::int64_t checked_place(const Node& access, std::size_t dim, const std::vector<std::int64_t>& point,
                           const Scope& scope, double* uncertain = nullptr) {
    const Value value = evaluate(access.operands[dim], point, scope);
    const std::int64_t place = value.integer;
    if (uncertain) *uncertain += value.error;
    if (place < access.cells->low(dim) || place >= access.cells->high(dim))
        throw out_of_range(access, dim, place, point, scope);
    return place;
}

}  // namespace

bool reads_data(const Expr& e) {
    bool data = false;
    walk(e, [&](const Expr& x) { data = data || x.as<Access>(); });
    return data;
}

Node build_access(const Scope& scope, const Access& access) {
    Node node{.kind = Node::Kind::access, .type = scope.kernel.tensor(access.tensor).type};
    node.cells = &scope.cells.at(access.tensor);
    node.access = &access;
    for (const Expr& place : access.at) node.operands.push_back(build_place(scope, place));
    return node;
}

Node build_value(const Scope& scope, const Expr& e, Type want) {
    if (auto* literal = e.as<IntegerLiteral>()) return constant_integer(want, literal->value);
    if (auto* literal = e.as<RealLiteral>()) return constant_real(want, literal->value);
    if (auto* size = e.as<SizeRef>()) return constant_integer(want, number(scope.solution.sizes.at(size->name)));
    if (auto* index = e.as<IndexRef>()) return index_node(scope, index->name, want);
    if (auto* scalar = e.as<ScalarRef>()) return scalar_node(scope, scalar->name);
    if (auto* access = e.as<Access>()) return build_access(scope, *access);
    return build_operation(scope, e, want);
}

Node build_place(const Scope& scope, const Expr& e) {
    if (auto* access = e.as<Access>()) return cast_to(Type::i64, build_access(scope, *access));
    if (auto* u = e.as<Unary>()) {
        Node node{.kind = Node::Kind::negate, .type = Type::i64};
        node.operands.push_back(build_place(scope, *u->value));
        return node;
    }
    if (auto* b = e.as<Binary>(); b && b->op < BinaryOp::eq) {
        Node node{.kind = Node::Kind::arithmetic, .type = Type::i64};
        node.op = b->op;
        node.operands = {build_place(scope, *b->left), build_place(scope, *b->right)};
        return node;
    }
    if (auto* call = e.as<Call>()) {
        const bool select = call->function == Function::select;
        Node node{.kind = select ? Node::Kind::select : Node::Kind::call, .type = Type::i64};
        node.function = call->function;
        for (std::size_t i = 0; i < call->arguments.size(); i++)
            node.operands.push_back(select && i == 0 ? build_value(scope, call->arguments[i], Type::boolean)
                                                     : build_place(scope, call->arguments[i]));
        return node;
    }
    return cast_to(Type::i64, build_value(scope, e, Type::i64));
}

std::string describe_point(const Scope& scope, const std::vector<std::int64_t>& point, const Expr& e) {
    std::string text;
    for (std::size_t s = 0; s < scope.indices.size(); s++) {
        bool named = !e.defined();
        walk(e, [&](const Expr& x) {
            if (auto* index = x.as<IndexRef>()) named = named || index->name == scope.indices[s];
        });
        if (named) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", scope.indices[s], point[s]);
    }
    return text;
}

void places_of(const Node& access, const std::vector<std::int64_t>& point, const Scope& scope,
               std::vector<std::int64_t>& places) {
    places.resize(access.operands.size());
    for (std::size_t d = 0; d < places.size(); d++) places[d] = checked_place(access, d, point, scope);
}

namespace {

Value load(const Node& node, const std::vector<std::int64_t>& point, const Scope& scope) {
    std::int64_t cell = 0;
    double uncertain = 0;
    for (std::size_t d = 0; d < node.operands.size(); d++) {
        const std::int64_t place = checked_place(node, d, point, scope, &uncertain);
        const std::int64_t inside = cell < 0 ? -1 : fold_position(node.cells->mode, place, node.cells->extents[d]);
        cell = inside < 0 ? -1 : cell + inside * node.cells->strides[d];
    }
    Value value = cell < 0 ? node.cells->outside : node.cells->load(cell);
    // A tensor under definition may hold more digits than it stores; its readers see what it computes in.
    if (is_float(node.type)) value.real = round_to_compute(node.type, value.real);
    if (uncertain > 0) value.error = std::numeric_limits<double>::infinity();  // another element may be meant
    return value;
}

}  // namespace

Value apply(const Node& node, const Value* v) {
    const bool real = is_float(node.type);
    switch (node.kind) {
    case Node::Kind::cast: return cast_value(node.operands[0].type, node.type, v[0]);
    case Node::Kind::logical_not: return {0, !v[0].integer};
    case Node::Kind::negate:
        return real ? Value{-v[0].real, 0}
                    : Value{0, fit_integer(node.type, -static_cast<Int128>(v[0].integer), "a negation")};
    case Node::Kind::select: return v[0].integer ? v[1] : v[2];
    case Node::Kind::call:
        if (real) return {real_function(node.function, node.type, v[0].real, v[1].real), 0};
        return {0, integer_function(node.function, node.type, v[0].integer, v[1].integer)};
    case Node::Kind::logic:
        return {0, node.op == BinaryOp::logical_and ? v[0].integer && v[1].integer : v[0].integer || v[1].integer};
    case Node::Kind::compare:
        if (is_float(node.operands[0].type)) return {0, compare_values(node.op, v[0].real, v[1].real)};
        return {0, compare_values(node.op, v[0].integer, v[1].integer)};
    default:
        if (real) return {real_arithmetic(node.op, node.type, v[0].real, v[1].real), 0};
        return {0, integer_arithmetic(node.op, node.type, v[0].integer, v[1].integer)};
    }
}

Value evaluate(const Node& node, const std::vector<std::int64_t>& point, const Scope& scope) {
    switch (node.kind) {
    case Node::Kind::constant: return node.constant;
    case Node::Kind::index: return {0, point[node.slot]};
    case Node::Kind::access: return load(node, point, scope);
    default: break;
    }
    Value operands[3];  // all are evaluated, both sides of a select too
    for (std::size_t i = 0; i < node.operands.size(); i++) operands[i] = evaluate(node.operands[i], point, scope);
    Value result = apply(node, operands);
    result.error = scope.bounds ? propagate_error(node, operands, result) : 0;
    return result;
}

}  // namespace halogen::interpreting
