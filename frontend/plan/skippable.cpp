#include "frontend/plan/skippable.h"

#include "frontend/notation/parts.h"

namespace halogen {

namespace {

int count_reads(const Equation& equation, const Tensor& tensor) {
    int count = 0;
    each_read(equation, [&](const Access& read) { count += read.tensor == tensor.name; });
    return count;
}

/// `tensor` stands in `e` as a factor (or, for the largest and least, alone) whose value beyond the edges makes the whole term the
/// identity of the reduction.
bool absorbs(Op op, const Expr& e, const std::string& tensor) {
    if (auto* access = e.as<Access>()) return access->tensor == tensor;
    if (auto* cast = e.as<Cast>()) return op == Op::add && absorbs(op, *cast->value, tensor);
    auto* product = e.as<Binary>();
    return op == Op::add && product && product->op == BinaryOp::mul &&
           (absorbs(op, *product->left, tensor) || absorbs(op, *product->right, tensor));
}

bool is_zero(const Expr& e) {
    if (!e.defined()) return true;
    if (auto* integer = e.as<IntegerLiteral>()) return integer->value == 0;
    auto* real = e.as<RealLiteral>();
    return real && real->value == 0;
}

/// What lies beyond the edges of `tensor` is what its reduction begins with.
bool is_neutral(const Boundary& boundary, Op op) {
    using Mode = Boundary::Mode;
    return (op == Op::add && boundary.mode == Mode::constant && is_zero(boundary.constant)) ||
           (op == Op::max && boundary.mode == Mode::lowest) || (op == Op::min && boundary.mode == Mode::highest);
}

}  // namespace

bool reads(const Equation& equation, const Tensor& tensor) { return count_reads(equation, tensor) > 0; }

bool adds_nothing_outside(const Equation& equation, const Tensor& tensor) {
    return count_reads(equation, tensor) == 1 && is_neutral(tensor.boundary, equation.op) &&
           absorbs(equation.op, equation.right, tensor.name);
}

}  // namespace halogen
