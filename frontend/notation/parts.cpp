#include "frontend/notation/parts.h"

namespace halogen {

bool reads_itself(const Equation& equation) {
    bool found = false;
    each_self_read(equation, [&](const Access&) { found = true; });
    return found;
}

std::vector<const InRange*> ranges_of(const Equation& equation) {
    std::vector<const InRange*> ranges;
    for (const Where& item : equation.where)
        if (auto* range = std::get_if<InRange>(&item)) ranges.push_back(range);
    return ranges;
}

std::vector<const Expr*> predicates_of(const Equation& equation) {
    std::vector<const Expr*> predicates;
    for (const Where& item : equation.where)
        if (auto* predicate = std::get_if<Expr>(&item)) predicates.push_back(predicate);
    return predicates;
}

std::optional<std::pair<const Access*, const Access*>> factors_of(const Equation& equation) {
    const auto* product = equation.right.as<Binary>();
    if (!product || product->op != BinaryOp::mul) return std::nullopt;
    const auto read = [](const Expr& factor) {
        const auto* converted = factor.as<Cast>();
        return (converted ? *converted->value : factor).as<Access>();
    };
    const Access *left = read(*product->left), *right = read(*product->right);
    if (!left || !right) return std::nullopt;
    return std::pair{left, right};
}

}  // namespace halogen
