#include "frontend/plan/reciprocals.h"

#include "frontend/plan/apart.h"
#include "frontend/plan/softmax.h"
#include "frontend/solve/place.h"

#include <cmath>
#include <utility>

namespace halogen {

namespace {

/// Its reciprocal is a normal number or infinite: of a literal, or of an integer of sizes and literals, converted.
bool has_normal_reciprocal(const Expr& divisor) {
    constexpr double most = 1e30;
    if (const auto* literal = divisor.as<IntegerLiteral>()) return literal->value != 0;
    if (const auto* literal = divisor.as<RealLiteral>())
        return std::abs(literal->value) < most && std::abs(literal->value) > 1 / most;
    const auto* cast = divisor.as<Cast>();
    bool sizes = cast != nullptr;
    if (cast)
        walk(*cast->value, [&](const Expr& part) {
            sizes = sizes && (part.as<SizeRef>() || part.as<IntegerLiteral>() || part.as<Binary>() || part.as<Unary>());
        });
    return sizes;
}

/// The term `value/divisor` of an equation as a product.
Expr as_product(const Equation& equation, const Expr& value, const Expr& divisor) {
    const Expr reciprocal = make_binary(BinaryOp::div, Expr(1), divisor);
    const auto* product = value.as<Binary>();
    const auto element = equation.left.at.empty() ? std::nullopt : bare_index(equation.left.at.back());
    if (product && product->op == BinaryOp::mul && element)
        for (const auto& [factor, other] :
             {std::pair{*product->left, *product->right}, {*product->right, *product->left}})
            if (!lowering::indices_in(factor).count(*element) && lowering::indices_in(other).count(*element))
                return make_binary(BinaryOp::mul, make_binary(BinaryOp::mul, factor, reciprocal), other);
    return make_binary(BinaryOp::mul, value, reciprocal);
}

bool is_root(const Expr& e) {
    const auto* call = e.as<Call>();
    return call && call->function == Function::sqrt;
}

/// A number that the elements of a row share, and whose reciprocal is as good as it is: the sum of a softmax, at least 1, or a root, for that
/// of the least number is far from it, and zeros and infinities give the same either way.
bool is_shared_by_row(const Kernel& kernel, const Solution& solution, const Equation& equation, const Expr& divisor) {
    const auto element = equation.left.at.empty() ? std::nullopt : bare_index(equation.left.at.back());
    if (!element || lowering::indices_in(divisor).count(*element)) return false;
    const auto* read = divisor.as<Access>();
    if (!read) return is_root(divisor);
    const auto made = lowering::defining(kernel, read->tensor);
    if (!made) return false;
    const Equation& own = kernel.equations[*made];
    return (own.op == Op::assign && is_root(own.right)) || lowering::is_at_least_1(kernel, solution, read->tensor);
}

}  // namespace

std::optional<Kernel> with_reciprocals(const Kernel& kernel, const Solution& solution) {
    Kernel result = kernel;
    bool any = false;
    for (Equation& equation : result.equations) {
        const auto* term = equation.right.as<Binary>();
        const Type type = kernel.tensor(equation.left.tensor).type;
        if (!term || term->op != BinaryOp::div || !(type == Type::f32 || type == Type::f64) ||
            types_in(kernel, equation, equation.right, type).own != type)
            continue;
        const bool sums = equation.op == Op::add && !reduced_indices_of(equation).empty();
        if (sums ? !has_normal_reciprocal(*term->right)
                 : equation.op != Op::assign || !is_shared_by_row(kernel, solution, equation, *term->right))
            continue;
        equation.right =
            sums ? as_product(equation, *term->left, *term->right)
                 : make_binary(BinaryOp::mul, *term->left, make_binary(BinaryOp::div, Expr(1), *term->right));
        equation.text = print(equation);
        any = true;
    }
    if (!any) return std::nullopt;
    return lowering::taken(std::move(result));
}

}  // namespace halogen
