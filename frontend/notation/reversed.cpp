#include "frontend/notation/reversed.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"

#include <algorithm>

namespace halogen {

namespace {

/// "X.0" is "X.1" of the reversed tensor, where it has two dims.
Expr reversed(const Kernel& kernel, const SizeRef& size, Position at) {
    Symbol dim = Symbol::of(size.name);
    dim.number = kernel.tensor(dim.name).rank - 1 - dim.number;
    return Expr(ExprNode{SizeRef{dim.text()}}, at);
}

Expr reversed(const Kernel& kernel, const Expr& e) {
    return rewrite(e, [&](const Expr& part) {
        auto* size = part.as<SizeRef>();
        if (size && Symbol::of(size->name).is_dim()) return reversed(kernel, *size, part.position());
        auto* access = part.as<Access>();
        if (!access) return part;
        Access turned = *access;
        std::reverse(turned.at.begin(), turned.at.end());
        return Expr(ExprNode{std::move(turned)}, part.position());
    });
}

}  // namespace

Kernel reversed(const Kernel& kernel) {
    Kernel result = kernel;
    for (Tensor& tensor : result.tensors)
        if (tensor.dims) {
            std::reverse(tensor.dims->begin(), tensor.dims->end());
            for (Dim& dim : *tensor.dims)
                for (Expr* e : {&dim.extent, &dim.pad_low, &dim.pad_high}) *e = reversed(kernel, *e);
        }
    for (SizeCondition& condition : result.conditions) condition.relation = reversed(kernel, condition.relation);
    for (Let& let : result.lets) let.value = reversed(kernel, let.value);
    for (Equation& equation : result.equations) {
        change_expressions(equation, [&](const Expr& e) { return reversed(kernel, e); });
        std::reverse(equation.left.at.begin(), equation.left.at.end());
    }
    return result;
}

bool reversible(const Kernel& kernel) {
    return std::none_of(kernel.equations.begin(), kernel.equations.end(),
                        [](const Equation& e) { return e.op != Op::assign && reads_itself(e); });
}

}  // namespace halogen
