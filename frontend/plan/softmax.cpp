#include "frontend/plan/softmax.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <vector>

namespace halogen::lowering {

Expr renamed(const Expr& e, const Renaming& names) {
    return rewrite(e, [&](const Expr& node) {
        const auto index = bare_index(node);
        const auto name = index ? names.find(*index) : names.end();
        return name == names.end() ? node : Expr(ExprNode{IndexRef{name->second}});
    });
}

std::optional<Renaming> names_at(const Access& left, const Access& read) {
    Renaming names;
    for (std::size_t d = 0; d < left.at.size(); d++) {
        const auto from = bare_index(left.at[d]), to = bare_index(read.at[d]);
        if (!from || !to) return std::nullopt;
        names[*from] = *to;
    }
    return names;
}

std::optional<std::size_t> defining(const Kernel& kernel, const std::string& tensor) {
    const auto found = only_equation_of(kernel, tensor);
    return found && kernel.equations[*found].where.empty() ? found : std::nullopt;
}

namespace {

bool same_range(const IndexRange& a, const IndexRange& b) { return a.min == b.min && a.extent == b.extent; }

std::optional<std::string> largest_along(const Kernel& kernel, const Solution& solution, const Access& top,
                                         const Expr& value, std::size_t e) {
    const auto made = defining(kernel, top.tensor);
    if (!made || kernel.equations[*made].op != Op::max || reads_itself(kernel.equations[*made])) return std::nullopt;
    const Equation& equation = kernel.equations[*made];
    auto names = names_at(equation.left, top);
    if (!names) return std::nullopt;
    Names others = indices_in(value);
    for (const auto& [from, to] : *names) others.erase(to);
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    if (reduced.size() != 1 || others.size() != 1) return std::nullopt;
    const std::string& along = *others.begin();
    (*names)[reduced.front()] = along;
    if (!same_range(solution.indices[*made].at(reduced.front()), solution.indices[e].at(along)) ||
        renamed(equation.right, *names) != value)
        return std::nullopt;
    return along;
}

}  // namespace

std::optional<std::string> largest_is_1_along(const Kernel& kernel, const Solution& solution, const Expr& value,
                                              std::size_t e) {
    if (const auto* read = value.as<Access>()) {
        const auto made = defining(kernel, read->tensor);
        if (!made || kernel.equations[*made].op != Op::assign) return std::nullopt;
        const Equation& equation = kernel.equations[*made];
        const auto names = names_at(equation.left, *read);
        if (!names || equation.right.as<Access>()) return std::nullopt;
        const auto along = largest_is_1_along(kernel, solution, equation.right, *made);
        const auto name = along ? names->find(*along) : names->end();
        return name == names->end() ? std::nullopt : std::optional(name->second);
    }
    const auto* exp = value.as<Call>();
    const auto* difference = exp && exp->function == Function::exp ? exp->arguments.front().as<Binary>() : nullptr;
    const auto* top = difference && difference->op == BinaryOp::sub ? difference->right->as<Access>() : nullptr;
    return top ? largest_along(kernel, solution, *top, *difference->left, e) : std::nullopt;
}

bool is_at_least_1(const Kernel& kernel, const Solution& solution, const std::string& sum) {
    const auto made = defining(kernel, sum);
    if (!made) return false;
    const Equation& equation = kernel.equations[*made];
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    const auto along = largest_is_1_along(kernel, solution, equation.right, *made);
    if (equation.op != Op::add || reads_itself(equation) || !along || reduced != std::vector{*along}) return false;
    const auto* read = equation.right.as<Access>();
    if (!read) return true;
    const std::size_t terms = *defining(kernel, read->tensor);
    const Renaming names = *names_at(kernel.equations[terms].left, *read);
    std::size_t stands = 0;  // at how many places: a diagonal has only some of the terms
    bool all = false;
    for (const auto& [from, to] : names) {
        if (to != *along) continue;
        stands++;
        all = same_range(solution.indices[terms].at(from), solution.indices[*made].at(to));
    }
    return all && stands == 1;
}

}  // namespace halogen::lowering
