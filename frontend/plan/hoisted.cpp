#include "frontend/plan/hoisted.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

/// A function that takes as long as some ten multiplications, or ten loads of a vector.
bool is_slow(Function function) {
    switch (function) {
    case Function::exp:
    case Function::log:
    case Function::sin:
    case Function::cos:
    case Function::tanh:
    case Function::erf:
    case Function::sigmoid:
    case Function::pow:
    case Function::sqrt:
    case Function::rsqrt: return true;
    default: return false;
    }
}

/// A slow function stands in it; a division is worth a row of quotients, not a tensor of them.
bool is_slow(const Expr& e, bool is_row) {
    bool found = false;
    walk(e, [&](const Expr& part) {
        const auto* call = part.as<Call>();
        const auto* two = part.as<Binary>();
        found = found || (call && is_slow(call->function)) || (is_row && two && two->op == BinaryOp::div);
    });
    return found;
}

/// The first part with a slow function, as large as may be, that some index does not move: of indices among which one of the last place
/// on the left is; or, of sums without a condition, which would spare some of its values, one that is reduced.
std::optional<Expr> slow_part(const Equation& equation, bool is_real) {
    if (equation.left.at.empty() || reads_itself(equation) || !is_slow(equation.right, is_real)) return std::nullopt;
    const lowering::Names last = lowering::indices_in(equation.left.at.back());
    std::vector<std::string> reduced;
    if (predicates_of(equation).empty()) reduced = reduced_indices_of(equation);
    std::optional<Expr> found;
    const std::size_t all = indices_of(equation).size();
    walk(equation.right, [&](const Expr& e) {
        if (found) return;
        const lowering::Names names = lowering::indices_in(e);
        const auto among = [&](const auto& some) { return std::ranges::find_first_of(names, some) != names.end(); };
        const bool is_row = among(last) && is_slow(e, is_real && names.size() == 1);
        const bool is_shared = is_row || (among(reduced) && is_slow(e, false));
        if (is_shared && names.size() < all && lowering::largest_read(e, names)) found = e;
    });
    return found;
}

std::optional<std::pair<Equation, Equation>> apart(const Kernel& kernel, const Solution& solution, int e,
                                                   const std::string& name) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(equation.left.tensor).type;
    const auto part = slow_part(equation, is_float(type));
    if (!part || types_in(kernel, equation, *part, type).own != type) return std::nullopt;
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
