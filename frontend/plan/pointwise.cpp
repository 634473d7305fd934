#include "frontend/plan/pointwise.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace halogen {

namespace {

using Values = std::map<std::string, Formula>;

/// The reduced indices of an equation that slide beside others and have the value 0 alone.
lowering::Names lone_points(const Kernel& kernel, const Solution& solution, const Values& known, std::size_t e) {
    const Equation& equation = kernel.equations[e];
    lowering::Names points;
    each_read(equation, [&](const Access& read) {
        for (const Expr& place : read.at) {
            const lowering::Names names = lowering::indices_in(place);
            if (names.size() < 2) continue;
            points.insert(names.begin(), names.end());
        }
    });
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    std::erase_if(points, [&](const std::string& name) {
        const IndexRange& range = solution.indices[e].at(name);
        return std::ranges::count(reduced, name) == 0 || lowering::is_value(equation, name) ||
               range.min != Formula(0) || range.extent.substitute(known) != Formula(1);
    });
    return points;
}

/// The place with 0 for these indices: an index or a number where it is no more than that.
Expr without(const Expr& place, const lowering::Names& points, const Solution& solution, Values known) {
    for (const std::string& point : points) known.insert_or_assign(point, 0);
    if (const auto formula = solved_formula(place, solution)) {
        const Formula value = formula->substitute(known);
        const auto symbol = value.as_symbol();
        if (const auto number = value.constant()) return Expr(*number);
        if (symbol && lowering::indices_in(place).count(*symbol)) return lowering::index_of(*symbol);
    }
    return rewrite(place, [&](const Expr& e) {
        const auto* index = e.as<IndexRef>();
        return index && points.count(index->name) ? Expr(0) : e;
    });
}

}  // namespace

std::optional<Kernel> pointwise(const Kernel& kernel, const Solution& solution, const Settings& sizes) {
    Values known;
    for (const auto& [name, value] : sizes)
        if (value) known.emplace(name, *value);
    Kernel result = kernel;
    bool any = false;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        const lowering::Names points = lone_points(kernel, solution, known, e);
        if (points.empty() || !predicates_of(kernel.equations[e]).empty()) continue;
        any = true;
        Equation& equation = result.equations[e];
        equation.right = rewrite(equation.right, [&](const Expr& node) {
            const auto* read = node.as<Access>();
            if (!read) return node;
            Access moved = *read;
            for (Expr& place : moved.at) place = without(place, points, solution, known);
            return Expr(ExprNode{std::move(moved)});
        });
        std::erase_if(equation.where,
                      [&](const Where& item) { return points.count(std::get<InRange>(item).index) > 0; });
        equation.text = print(equation);
    }
    return any ? lowering::taken(std::move(result)) : std::nullopt;
}

}  // namespace halogen
