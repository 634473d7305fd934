#pragma once
// The parts of an equation, so that nobody walks over them by hand. In `H[B[i]] += X[i + P] where i in 0:N, M[i] > 0` they are
// the expressions B[i], X[i + P], 0, N and M[i] > 0, the reads B[i], X[i + P] and M[i], one range and one predicate.

#include "frontend/notation/program.h"

#include <set>
#include <string>
#include <vector>

namespace halogen {

/// Calls `visit(Expr&)` on each expression in reading order: places on the left, the right side, then the ends of ranges and
/// the predicates behind `where`. An end that is not written yet is absent. `equation` may be constant.
template<typename E, typename Visit>
void each_expression(E& equation, Visit&& visit) {
    for (auto& place : equation.left.at) visit(place);
    visit(equation.right);
    for (auto& item : equation.where) {
        if (auto* range = std::get_if<InRange>(&item)) {
            visit(range->begin);
            visit(range->end);
        } else {
            visit(std::get<Expr>(item));
        }
    }
}

/// Calls `visit(const Expr&)` on each node of each expression, parents first.
template<typename Visit>
void each_node(const Equation& equation, Visit&& visit) {
    each_expression(equation, [&](const Expr& e) { walk(e, visit); });
}

/// Calls `visit(const Access&)` on each read, in brackets of the left side too; `X[B[i]]` comes before `B[i]`.
template<typename Visit>
void each_read(const Equation& equation, Visit&& visit) {
    each_node(equation, [&](const Expr& node) {
        if (auto* access = node.as<Access>()) visit(*access);
    });
}

/// Calls `visit(const Access&)` on each read of the tensor that `equation` defines.
template<typename Visit>
void each_self_read(const Equation& equation, Visit&& visit) {
    each_read(equation, [&](const Access& read) {
        if (read.tensor == equation.left.tensor) visit(read);
    });
}
bool reads_itself(const Equation&);

/// The names of the indices that stand in an expression, inside of brackets too.
std::set<std::string> indices_in(const Expr&);

/// The ranges and the predicates behind `where`, as they stand; they live as long as the equation.
std::vector<const InRange*> ranges_of(const Equation&);
std::vector<const Expr*> predicates_of(const Equation&);

/// Calls `visit(op, left, right)` with each comparison that must hold for the predicate to hold; `op` is `<` or `<=`.
template<typename Visit>
void each_comparison(const Expr& predicate, Visit&& visit) {
    const auto* binary = predicate.as<Binary>();
    if (!binary) return;
    switch (binary->op) {
    case BinaryOp::logical_and:
        each_comparison(*binary->left, visit);
        each_comparison(*binary->right, visit);
        break;
    case BinaryOp::lt:
    case BinaryOp::le: visit(binary->op, *binary->left, *binary->right); break;
    case BinaryOp::gt: visit(BinaryOp::lt, *binary->right, *binary->left); break;
    case BinaryOp::ge: visit(BinaryOp::le, *binary->right, *binary->left); break;
    default: break;
    }
}

/// Puts `change(Expr) -> Expr` in place of each expression.
template<typename Change>
void change_expressions(Equation& equation, Change&& change) {
    each_expression(equation, [&](Expr& e) { e = change(e); });
}

/// Passes each node of each expression through `change(Expr) -> Expr`, children first; the left side stays an access.
template<typename Change>
void rewrite(Equation& equation, Change&& change) {
    change_expressions(equation, [&](const Expr& e) { return rewrite(e, change); });
}

}  // namespace halogen
