#include "frontend/notation/operations.h"

namespace halogen {

namespace {

/// Counts below `e`, not into brackets; arithmetic on sizes and indices alone is free.
int operations_in(const Expr& e) {
    if (!depends_on_data(e)) return 0;
    if (auto* b = e.as<Binary>()) return (b->op < BinaryOp::eq) + operations_in(*b->left) + operations_in(*b->right);
    if (auto* u = e.as<Unary>()) return operations_in(*u->value);
    if (auto* c = e.as<Cast>()) return operations_in(*c->value);
    if (auto* call = e.as<Call>()) {
        int n = call->function != Function::select;
        for (const Expr& argument : call->arguments) n += operations_in(argument);
        return n;
    }
    return 0;
}

}  // namespace

int operations_per_point(const Equation& e) {
    return (e.right.defined() ? operations_in(e.right) : 0) + (e.op != Op::assign);
}

}  // namespace halogen
