#include "frontend/notation/expr.h"

#include <algorithm>
#include <array>

namespace halogen {
namespace {

struct FunctionRow {
    Function function;
    const char* name;
    int arity;
};

constexpr std::array<FunctionRow, 17> functions{{
    {Function::select, "select", 3},
    {Function::min, "min", 2},
    {Function::max, "max", 2},
    {Function::abs, "abs", 1},
    {Function::floor, "floor", 1},
    {Function::ceil, "ceil", 1},
    {Function::round, "round", 1},
    {Function::sqrt, "sqrt", 1},
    {Function::rsqrt, "rsqrt", 1},
    {Function::exp, "exp", 1},
    {Function::log, "log", 1},
    {Function::sin, "sin", 1},
    {Function::cos, "cos", 1},
    {Function::tanh, "tanh", 1},
    {Function::erf, "erf", 1},
    {Function::sigmoid, "sigmoid", 1},
    {Function::pow, "pow", 2},
}};

int depth_below(const ExprNode& node) {
    int deepest = 0;
    if (auto* a = std::get_if<Access>(&node)) {
        for (auto& x : a->at) deepest = std::max(deepest, x.depth());
    } else if (auto* c = std::get_if<Call>(&node)) {
        for (auto& x : c->arguments) deepest = std::max(deepest, x.depth());
    } else if (auto* cast = std::get_if<Cast>(&node)) {
        deepest = cast->value->depth();
    } else if (auto* u = std::get_if<Unary>(&node)) {
        deepest = u->value->depth();
    } else if (auto* b = std::get_if<Binary>(&node)) {
        deepest = std::max(b->left->depth(), b->right->depth());
    }
    return deepest;
}

/// Equality of two nodes of the same alternative.
struct SameNode {
    bool operator()(const IntegerLiteral& a, const IntegerLiteral& b) const { return a.value == b.value; }
    bool operator()(const RealLiteral& a, const RealLiteral& b) const { return a.value == b.value; }
    bool operator()(const SizeRef& a, const SizeRef& b) const { return a.name == b.name; }
    bool operator()(const IndexRef& a, const IndexRef& b) const { return a.name == b.name; }
    bool operator()(const ScalarRef& a, const ScalarRef& b) const { return a.name == b.name; }
    bool operator()(const Access& a, const Access& b) const { return a.tensor == b.tensor && a.at == b.at; }
    bool operator()(const Call& a, const Call& b) const {
        return a.function == b.function && a.arguments == b.arguments;
    }
    bool operator()(const Cast& a, const Cast& b) const { return a.to == b.to && *a.value == *b.value; }
    bool operator()(const Unary& a, const Unary& b) const { return a.op == b.op && *a.value == *b.value; }
    bool operator()(const Binary& a, const Binary& b) const {
        return a.op == b.op && *a.left == *b.left && *a.right == *b.right;
    }
    template<typename A, typename B>
    bool operator()(const A&, const B&) const {
        return false;
    }
};

std::shared_ptr<const Expr> shared(Expr e) { return std::make_shared<const Expr>(std::move(e)); }

}  // namespace

Expr::Expr(ExprNode node, Position at) : at_(at), depth_(1 + depth_below(node)) {
    node_ = std::make_shared<const ExprNode>(std::move(node));
}

bool operator==(const Expr& a, const Expr& b) {
    if (a.node_ == b.node_) return true;
    if (!a.node_ || !b.node_ || a.depth_ != b.depth_) return false;
    return std::visit(SameNode{}, *a.node_, *b.node_);
}

Expr make_unary(UnaryOp op, Expr value, Position at) { return Expr(ExprNode{Unary{op, shared(std::move(value))}}, at); }

Expr make_binary(BinaryOp op, Expr left, Expr right, Position at) {
    return Expr(ExprNode{Binary{op, shared(std::move(left)), shared(std::move(right))}}, at);
}

Expr make_call(Function function, std::vector<Expr> arguments, Position at) {
    return Expr(ExprNode{Call{function, std::move(arguments)}}, at);
}

Expr make_cast(Type to, Expr value, Position at) { return Expr(ExprNode{Cast{to, shared(std::move(value))}}, at); }

std::string to_string(Function function) {
    for (const FunctionRow& r : functions)
        if (r.function == function) return r.name;
    return "?";
}

std::optional<Function> parse_function(std::string_view name) {
    for (const FunctionRow& r : functions)
        if (name == r.name) return r.function;
    return std::nullopt;
}

int arity(Function function) {
    for (const FunctionRow& r : functions)
        if (r.function == function) return r.arity;
    return 0;
}

std::string to_string(UnaryOp op) { return op == UnaryOp::negate ? "-" : "not"; }

std::string to_string(BinaryOp op) {
    constexpr std::array names{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
    return names[static_cast<std::size_t>(op)];
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::eq && op <= BinaryOp::ge; }

bool depends_on_data(const Expr& e) {
    bool found = false;
    walk(e, [&](const Expr& part) { found = found || part.as<Access>() || part.as<ScalarRef>(); });
    return found;
}

bool is_fixed(const Expr& e) {
    bool moves = false;
    walk(e, [&](const Expr& part) { moves = moves || part.as<IndexRef>() || part.as<Access>(); });
    return !moves;
}

}  // namespace halogen
