#include "frontend/plan/rolled.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <string>
#include <utility>

namespace halogen {

namespace {

/// `(j + by) % length`.
struct Roll {
    Expr by, length;
};

/// How far a place rolls an index; nothing where it does something else.
std::optional<Roll> roll_of(const Expr& place, const std::string& index) {
    const auto* mod = place.as<Binary>();
    const auto* sum = mod && mod->op == BinaryOp::mod ? mod->left->as<Binary>() : nullptr;
    if (!sum || depends_on_data(*sum->left) || depends_on_data(*sum->right)) return std::nullopt;
    const auto fixed = [](const Expr& e) { return lowering::indices_in(e).empty(); };
    if (sum->op == BinaryOp::add && bare_index(*sum->left) == index && fixed(*sum->right))
        return Roll{*sum->right, *mod->right};
    if (sum->op == BinaryOp::add && bare_index(*sum->right) == index && fixed(*sum->left))
        return Roll{*sum->left, *mod->right};
    if (sum->op == BinaryOp::sub && bare_index(*sum->left) == index && fixed(*sum->right))
        return Roll{make_binary(BinaryOp::sub, Expr(0), *sum->right), *mod->right};
    return std::nullopt;
}

/// The two parts of an equation whose last index is rolled over its whole range, everywhere alike.
std::optional<std::pair<Equation, Equation>> parts(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    if (equation.op != Op::assign || equation.left.at.empty() || reads_itself(equation) ||
        !predicates_of(equation).empty() || !lowering::only_equation_of(kernel, equation.left.tensor))
        return std::nullopt;
    std::size_t dim = equation.left.at.size() - 1;  // the last one that is no colour's
    const std::vector<Formula>& extents = solution.extents.at(equation.left.tensor);
    while (dim > 0 && lowering::is_short(extents[dim])) dim--;
    const auto index = bare_index(equation.left.at[dim]);
    if (!index || lowering::is_value(equation, *index)) return std::nullopt;
    for (const InRange* range : ranges_of(equation))
        if (range->index == *index) return std::nullopt;
    std::optional<Roll> roll;
    bool alike = true;
    each_read(equation, [&](const Access& read) {
        for (const Expr& place : read.at) {
            const auto one = roll_of(place, *index);
            if (!one) continue;
            alike = alike && (!roll || (roll->by == one->by && roll->length == one->length));
            roll = one;
        }
    });
    const IndexRange& range = solution.indices[static_cast<std::size_t>(e)].at(*index);
    if (!roll || !alike || !has_formula(roll->length) || !has_formula(roll->by) || range.min != Formula(0) ||
        solved_formula(roll->length, solution) != std::optional(range.extent))
        return std::nullopt;
    const Expr by = make_binary(BinaryOp::mod, roll->by, roll->length),
               turn = make_binary(BinaryOp::sub, roll->length, by),
               along = make_binary(BinaryOp::add, lowering::index_of(*index), by);
    const auto part = [&](const Expr& place, const Expr& begin, const Expr& end) {
        Equation one = equation;
        one.right = rewrite(equation.right, [&](const Expr& node) { return roll_of(node, *index) ? place : node; });
        one.where.push_back(InRange{*index, begin, end, {}});
        return one;
    };
    return std::pair{part(along, Expr(0), turn),
                     part(make_binary(BinaryOp::sub, along, roll->length), turn, roll->length)};
}

}  // namespace

std::optional<Kernel> rolled(const Kernel& kernel, const Solution& solution) {
    Kernel result = kernel;
    result.equations.clear();
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        const auto two = parts(kernel, solution, e);
        if (two)
            result.equations.insert(result.equations.end(), {two->first, two->second});
        else
            result.equations.push_back(kernel.equations[static_cast<std::size_t>(e)]);
    }
    if (result.equations.size() == kernel.equations.size()) return std::nullopt;
    return lowering::taken(std::move(result));
}

}  // namespace halogen
