#include "frontend/notation/reversed.h"

#include <algorithm>

namespace halogen {

namespace {

Access reversed(Access access) {
    std::reverse(access.at.begin(), access.at.end());
    return access;
}

Expr reversed(const Expr& e) {
    return rewrite(e, [](const Expr& part) {
        auto* access = part.as<Access>();
        return access ? Expr(ExprNode{reversed(*access)}, part.position()) : part;
    });
}

Access with_reversed_places(const Access& left) {
    Access fresh = left;
    for (Expr& place : fresh.at) place = reversed(place);
    return reversed(std::move(fresh));
}

}  // namespace

Kernel reversed(const Kernel& kernel) {
    Kernel result = kernel;
    for (Tensor& tensor : result.tensors)
        if (tensor.dims) std::reverse(tensor.dims->begin(), tensor.dims->end());
    for (Equation& equation : result.equations) {
        equation.left = with_reversed_places(equation.left);
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
