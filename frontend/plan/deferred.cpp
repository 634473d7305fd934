#include "frontend/plan/deferred.h"

#include "frontend/plan/apart.h"
#include "frontend/plan/softmax.h"
#include "frontend/solve/place.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::indices_in;
using lowering::names_at;
using lowering::renamed;

class Quotients {
public:
    Quotients(const Kernel& kernel, const Solution& solution) : kernel_(kernel), solution_(solution) {}

    /// An equation that multiplies quotients, and the one that divides.
    struct Found {
        std::size_t quotient;
        Expr numerator;  // in the names of the quotient
        Expr divisor;    // in those of the product
        Expr terms;      // how many a sum of the product has
    };

    std::optional<Found> of(std::size_t product) const {
        const Equation& equation = kernel_.equations[product];
        const auto* two = equation.right.as<Binary>();
        const auto terms = terms_of(product);
        if (equation.op != Op::add || !two || two->op != BinaryOp::mul ||
            lowering::defining(kernel_, equation.left.tensor) != product || !terms)
            return std::nullopt;
        for (const auto* factor : {two->left->as<Access>(), two->right->as<Access>()}) {
            auto found = factor ? quotient_at(*factor, equation) : std::nullopt;
            if (!found) continue;
            found->terms = *terms;
            return found;
        }
        return std::nullopt;
    }

private:
    std::optional<Found> quotient_at(const Access& read, const Equation& product) const {
        const Tensor& tensor = kernel_.tensor(read.tensor);
        const auto e = lowering::defining(kernel_, read.tensor);
        if (!e || tensor.role != Role::intermediate || tensor.dims ||
            lowering::count_reads(kernel_, read.tensor) != 1 ||
            !(tensor.type == Type::f32 || tensor.type == Type::f64) ||
            kernel_.tensor(product.left.tensor).type != tensor.type)
            return std::nullopt;
        const Equation& equation = kernel_.equations[*e];
        const auto* two = equation.right.as<Binary>();
        const auto names = names_at(equation.left, read);
        if (equation.op != Op::assign || !names || !two || two->op != BinaryOp::div ||
            !lowering::largest_is_1_along(kernel_, solution_, *two->left, *e))
            return std::nullopt;
        const Expr divisor = renamed(*two->right, *names);
        lowering::Names left;
        for (const Expr& place : product.left.at) {
            if (!bare_index(place)) return std::nullopt;
            left.insert(*bare_index(place));
        }
        for (const std::string& index : indices_in(divisor))
            if (!left.count(index)) return std::nullopt;
        return Found{*e, *two->left, divisor, {}};
    }

    /// How many terms the sums of an equation have, as text; nothing where it cannot be said.
    std::optional<Expr> terms_of(std::size_t e) const {
        std::optional<Expr> terms;
        for (const std::string& index : reduced_indices_of(kernel_.equations[e])) {
            const Expr extent = lowering::extent_over(kernel_, solution_, e, index);
            if (!extent.defined()) return std::nullopt;
            terms = terms ? make_binary(BinaryOp::mul, *terms, extent) : extent;
        }
        return terms;
    }

    const Kernel& kernel_;
    const Solution& solution_;
};

}  // namespace

std::optional<Kernel> deferred(const Kernel& kernel, const Solution& solution) {
    const Quotients quotients(kernel, solution);
    Kernel changed = kernel;
    std::map<int, Quotients::Found> found;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        const auto own = quotients.of(e);
        if (!own) continue;
        found.emplace(static_cast<int>(e), *own);
        Equation& quotient = changed.equations[own->quotient];
        quotient.right = own->numerator;
        quotient.text = print(quotient);
    }
    return lowering::taken_apart(changed, "_sum", [&](int e, const std::string& name) {
        const auto own = found.find(e);
        if (own == found.end()) return std::optional<std::pair<Equation, Equation>>();
        const Equation& equation = changed.equations[static_cast<std::size_t>(e)];
        Equation sum = equation, result = equation;
        sum.left.tensor = name;
        result.op = Op::assign;
        const Expr quotient = make_binary(BinaryOp::div, Expr(ExprNode{sum.left}), own->second.divisor);
        result.right =
            make_call(Function::select, {make_binary(BinaryOp::gt, own->second.terms, Expr(0)), quotient, Expr(0)});
        return std::optional(std::pair{std::move(sum), std::move(result)});
    });
}

}  // namespace halogen
