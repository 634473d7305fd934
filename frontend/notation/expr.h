#pragma once
// Expressions of the notation: immutable trees, shared, compared by structure. One tree type serves values
// (`exp(X[b, n] - M[b])`), places in brackets (`T*y + D*r - P`), extents (`H/B`) and predicates (`t <= q`).

#include "frontend/base/error.h"
#include "frontend/notation/type.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace halogen {

class Expr;

enum class UnaryOp { negate, logical_not };
enum class BinaryOp { add, sub, mul, div, mod, eq, ne, lt, le, gt, ge, logical_and, logical_or };
/// Functions by their name in the notation. Two-argument ones: min, max, pow; three: select.
enum class Function {
    select,
    min,
    max,
    abs,
    floor,
    ceil,
    round,
    sqrt,
    rsqrt,
    exp,
    log,
    sin,
    cos,
    tanh,
    erf,
    sigmoid,
    pow
};

struct IntegerLiteral {
    std::int64_t value;
};
struct RealLiteral {
    double value;
};
/// A bare name that was resolved: a size symbol or `size` parameter, an index of the equation, or a run-time scalar.
struct SizeRef {
    std::string name;  // "N", "T", or "X.0" for dim 0 of a tensor whose dims are undeclared
};
struct IndexRef {
    std::string name;
};
struct ScalarRef {
    std::string name;
};
struct Access {
    std::string tensor;
    std::vector<Expr> at;  // one per dim; may hold accesses to integer tensors (gather, scatter)
    Position position;     // of the tensor's name
};
struct Call {
    Function function;
    std::vector<Expr> arguments;
};
struct Cast {
    Type to;
    std::shared_ptr<const Expr> value;
};
struct Unary {
    UnaryOp op;
    std::shared_ptr<const Expr> value;
};
struct Binary {
    BinaryOp op;
    std::shared_ptr<const Expr> left, right;
};

using ExprNode =
    std::variant<IntegerLiteral, RealLiteral, SizeRef, IndexRef, ScalarRef, Access, Call, Cast, Unary, Binary>;

/// A handle to an immutable node. A default-made Expr is absent (`defined()` is false): an undeclared extent, no pad.
class Expr {
public:
    Expr() = default;
    Expr(ExprNode node, Position at = {});
    Expr(int value) : Expr(ExprNode{IntegerLiteral{value}}) {}
    Expr(std::int64_t value) : Expr(ExprNode{IntegerLiteral{value}}) {}

    bool defined() const { return node_ != nullptr; }
    const ExprNode& node() const { return *node_; }
    Position position() const { return at_; }
    /// 1 for a leaf, one more than the deepest child else, 0 when absent. Known without a walk; `parse` and `check`
    /// refuse trees deeper than `max_depth`, so recursion over a checked tree is safe.
    int depth() const { return depth_; }
    static constexpr int max_depth = 1000;
    /// The address of the node: equal for copies of one handle. Trees of a checked kernel share no nodes.
    const void* identity() const { return node_.get(); }

    /// Of a value that was written as the name of a `let`: 1 and the number of that let in its kernel; 0 of every other. The text
    /// of the kernel prints the name again; nothing else knows of it.
    int let() const { return let_; }
    Expr written_as(int let) const {
        Expr named = *this;
        named.let_ = let;
        return named;
    }

    /// The node as `T`, or null.
    template<typename T>
    const T* as() const {
        return node_ ? std::get_if<T>(node_.get()) : nullptr;
    }
    /// Structure alone decides; positions and the names of lets do not count. Absent equals absent.
    friend bool operator==(const Expr&, const Expr&);

private:
    std::shared_ptr<const ExprNode> node_;
    Position at_;
    int depth_ = 0;
    int let_ = 0;
};

Expr make_unary(UnaryOp, Expr, Position = {});
Expr make_binary(BinaryOp, Expr, Expr, Position = {});
Expr make_call(Function, std::vector<Expr>, Position = {});
Expr make_cast(Type, Expr, Position = {});

/// Calls `visit(const Expr&)` on `e` and all below it, parents first, left to right.
template<typename Visit>
void walk(const Expr& e, Visit&& visit) {
    if (!e.defined()) return;
    visit(e);
    if (auto* a = e.as<Access>()) {
        for (auto& x : a->at) walk(x, visit);
    } else if (auto* c = e.as<Call>()) {
        for (auto& x : c->arguments) walk(x, visit);
    } else if (auto* cast = e.as<Cast>()) {
        walk(*cast->value, visit);
    } else if (auto* u = e.as<Unary>()) {
        walk(*u->value, visit);
    } else if (auto* b = e.as<Binary>()) {
        walk(*b->left, visit);
        walk(*b->right, visit);
    }
}

/// In the notation, with the fewest brackets that parse back to the same tree.
std::string print(const Expr&);
std::string to_string(Function);
std::optional<Function> parse_function(std::string_view);  // inverse of to_string
int arity(Function);                                       // 1, 2 or 3
std::string to_string(UnaryOp);                            // "-", "not"
std::string to_string(BinaryOp);                           // "+", "==", "and"
bool is_comparison(BinaryOp);

/// True when an access or a run-time scalar stands in the expression: what is left depends on sizes and indices alone.
bool depends_on_data(const Expr&);
/// True when neither an index nor an access stands in the expression: the places of `Y[0]` and of `Y[N - 1]`.
bool is_fixed(const Expr&);

/// Rebuilds `e` from fresh nodes, children first, each passed through `change(Expr) -> Expr`. What comes out as it was keeps the
/// name of its let.
template<typename Change>
Expr rewrite(const Expr& e, Change&& change) {
    if (!e.defined()) return e;
    if (e.let() > 0) {
        const Expr rebuilt = rewrite(e.written_as(0), change);
        return rebuilt == e ? rebuilt.written_as(e.let()) : rebuilt;
    }
    const Position at = e.position();
    if (auto* a = e.as<Access>()) {
        Access fresh{a->tensor, {}, a->position};
        for (auto& x : a->at) fresh.at.push_back(rewrite(x, change));
        return change(Expr(ExprNode{std::move(fresh)}, at));
    }
    if (auto* c = e.as<Call>()) {
        std::vector<Expr> arguments;
        for (auto& x : c->arguments) arguments.push_back(rewrite(x, change));
        return change(make_call(c->function, std::move(arguments), at));
    }
    if (auto* c = e.as<Cast>()) return change(make_cast(c->to, rewrite(*c->value, change), at));
    if (auto* u = e.as<Unary>()) return change(make_unary(u->op, rewrite(*u->value, change), at));
    if (auto* b = e.as<Binary>())
        return change(make_binary(b->op, rewrite(*b->left, change), rewrite(*b->right, change), at));
    return change(Expr(ExprNode(e.node()), at));
}

}  // namespace halogen
