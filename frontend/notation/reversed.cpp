#include "frontend/notation/reversed.h"

#include <algorithm>

namespace halogen {

namespace {

Expr reversed(const Expr& e) {
    return rewrite(e, [](const Expr& part) {
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
        if (tensor.dims) std::reverse(tensor.dims->begin(), tensor.dims->end());
    for (Equation& equation : result.equations) {
        equation.left = *reversed(Expr(ExprNode{equation.left}, equation.left.position)).as<Access>();
        equation.right = reversed(equation.right);
        for (Where& item : equation.where) {
            if (auto* range = std::get_if<InRange>(&item)) {
                range->begin = reversed(range->begin);
                range->end = reversed(range->end);
            } else {
                item = reversed(std::get<Expr>(item));
            }
        }
    }
    return result;
}

bool reversible(const Kernel& kernel) {
    return std::none_of(kernel.equations.begin(), kernel.equations.end(),
                        [](const Equation& e) { return e.op != Op::assign && reads_itself(e); });
}

}  // namespace halogen
