#include "frontend/plan/factored.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::indices_in;
using lowering::largest_read;
using lowering::Names;
using lowering::reads_in;

/// There is arithmetic in the factor, or it shares a tensor with the other one.
bool is_worth_it(const Expr& factor, const Expr& other) {
    const Access* read = factor.as<Access>();
    if (const auto* cast = factor.as<Cast>()) {
        read = cast->value->as<Access>();
        if (read) return false;  // a conversion is part of loading
    }
    if (!read) return true;
    const auto others = reads_in(other);
    return std::any_of(others.begin(), others.end(), [&](const Access* o) { return o->tensor == read->tensor; });
}

/// The factor of a product that moves with a row of the result, not with its elements; null where there is none.
const Expr* shared_factor(const Equation& equation) {
    const auto* product = equation.right.as<Binary>();
    if (equation.op != Op::add || !product || product->op != BinaryOp::mul || equation.left.at.size() < 2 ||
        reads_itself(equation))
        return nullptr;
    Names left;
    for (const Expr& place : equation.left.at) {
        const auto* index = place.as<IndexRef>();
        if (!index) return nullptr;
        left.insert(index->name);
    }
    const std::string& element = equation.left.at.back().as<IndexRef>()->name;
    for (const auto& [factor, other] :
         {std::pair{product->left.get(), product->right.get()}, {product->right.get(), product->left.get()}}) {
        const Names own = indices_in(*factor), others = indices_in(*other);
        const bool has_rows =
            std::any_of(own.begin(), own.end(), [&](auto& n) { return left.count(n) && !others.count(n); });
        if (own.count(element) || !others.count(element) || !has_rows) continue;
        if (largest_read(*factor, own) && is_worth_it(*factor, *other)) return factor;
    }
    return nullptr;
}

/// The equation of the factor, and the product of it; nothing where they may not be taken apart.
std::optional<std::pair<Equation, Equation>> apart(const Kernel& kernel, const Solution& solution, int e,
                                                   const std::string& name) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const std::vector<Formula>& made = solution.extents.at(equation.left.tensor);
    if (std::all_of(made.begin(), made.end(), lowering::is_short)) return std::nullopt;  // few points share a factor
    const Expr* factor = shared_factor(equation);
    if (!factor) return std::nullopt;
    auto value = lowering::value_of(kernel, solution, e, *factor, name);
    if (!value) return std::nullopt;
    Equation product = equation;
    const auto* whole = equation.right.as<Binary>();
    const Expr read(ExprNode{Access{value->left}});
    const bool first = whole->left.get() == factor;
    product.right = Expr(ExprNode{Binary{BinaryOp::mul, std::make_shared<const Expr>(first ? read : *whole->left),
                                         std::make_shared<const Expr>(first ? *whole->right : read)}});
    return std::pair{std::move(*value), std::move(product)};
}

}  // namespace

std::optional<Kernel> factored(const Kernel& kernel, const Solution& solution) {
    return lowering::taken_apart(kernel, "_factor",
                                 [&](int e, const std::string& made) { return apart(kernel, solution, e, made); });
}

}  // namespace halogen
