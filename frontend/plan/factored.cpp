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

using Names = std::set<std::string>;

Names indices_in(const Expr& e) {
    Names names;
    walk(e, [&](const Expr& node) {
        if (const auto* index = node.as<IndexRef>()) names.insert(index->name);
    });
    return names;
}

std::vector<const Access*> reads_in(const Expr& e) {
    std::vector<const Access*> reads;
    walk(e, [&](const Expr& node) {
        if (const auto* access = node.as<Access>()) reads.push_back(access);
    });
    return reads;
}

/// The read that names all indices of the factor, which is then no larger than what it is made from; null where there is none, or
/// some read does not stand at plain indices.
const Access* largest_read(const Expr& factor, const Names& names) {
    const Access* largest = nullptr;
    for (const Access* read : reads_in(factor)) {
        Names own;
        for (const Expr& place : read->at) {
            const auto* index = place.as<IndexRef>();
            if (!index) return nullptr;
            own.insert(index->name);
        }
        if (!largest && own == names && own.size() == read->at.size()) largest = read;
    }
    return largest;
}

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
    const Type type = kernel.tensor(equation.left.tensor).type;
    const Expr* factor = shared_factor(equation);
    if (!factor || compute_type(type) != type) return std::nullopt;
    Equation value = equation, product = equation;
    value.op = Op::assign;
    value.left.tensor = name;
    value.right = *factor;
    value.where.clear();
    const Names names = indices_in(*factor);
    value.left.at = largest_read(*factor, names)->at;
    for (const std::string& index : names)
        if (solution.indices[static_cast<std::size_t>(e)].at(index).min != Formula(0)) return std::nullopt;
    for (const InRange* range : ranges_of(equation)) {
        if (!names.count(range->index)) continue;
        if (!indices_in(range->begin).empty() || !indices_in(range->end).empty()) return std::nullopt;
        value.where.emplace_back(*range);
    }
    const auto* whole = equation.right.as<Binary>();
    const Expr read(ExprNode{Access{value.left}});
    const bool first = whole->left.get() == factor;
    product.right = Expr(ExprNode{Binary{BinaryOp::mul, std::make_shared<const Expr>(first ? read : *whole->left),
                                         std::make_shared<const Expr>(first ? *whole->right : read)}});
    return std::pair{std::move(value), std::move(product)};
}

}  // namespace

std::optional<Kernel> factored(const Kernel& kernel, const Solution& solution) {
    return lowering::taken_apart(kernel, "_factor",
                                 [&](int e, const std::string& made) { return apart(kernel, solution, e, made); });
}

}  // namespace halogen
