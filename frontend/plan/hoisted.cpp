#include "frontend/plan/hoisted.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"

#include <algorithm>
#include <string>
#include <utility>

namespace halogen {

namespace {

/// A function that takes as long as some ten multiplications.
bool is_slow(Function function) {
    switch (function) {
    case Function::exp:
    case Function::log:
    case Function::sin:
    case Function::cos:
    case Function::tanh:
    case Function::erf:
    case Function::sigmoid:
    case Function::pow: return true;
    default: return false;
    }
}

/// The first slow function of indices among which one of the last place on the left is, and another index is not.
std::optional<Expr> slow_part(const Equation& equation) {
    if (equation.left.at.empty() || reads_itself(equation)) return std::nullopt;
    const lowering::Names last = lowering::indices_in(equation.left.at.back());
    const auto moves_elements = [&](const std::string& name) { return last.count(name) > 0; };
    std::optional<Expr> found;
    const std::size_t all = indices_of(equation).size();
    walk(equation.right, [&](const Expr& e) {
        const auto* call = e.as<Call>();
        if (found || !call || !is_slow(call->function)) return;
        const lowering::Names names = lowering::indices_in(e);
        if (std::any_of(names.begin(), names.end(), moves_elements) && names.size() < all &&
            lowering::largest_read(e, names))
            found = e;
    });
    return found;
}

std::optional<std::pair<Equation, Equation>> apart(const Kernel& kernel, const Solution& solution, int e,
                                                   const std::string& name) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const auto part = slow_part(equation);
    if (!part || types_in(kernel, equation, *part, kernel.tensor(equation.left.tensor).type).own !=
                     kernel.tensor(equation.left.tensor).type)
        return std::nullopt;
    auto value = lowering::value_of(kernel, solution, e, *part, name);
    if (!value) return std::nullopt;
    Equation rest = equation;
    const Expr read(ExprNode{Access{value->left}});
    rest.right = rewrite(equation.right, [&](const Expr& node) { return node == *part ? read : node; });
    return std::pair{std::move(*value), std::move(rest)};
}

}  // namespace

std::optional<Kernel> hoisted(const Kernel& kernel, const Solution& solution) {
    return lowering::taken_apart(kernel, "_part",
                                 [&](int e, const std::string& made) { return apart(kernel, solution, e, made); });
}

}  // namespace halogen
