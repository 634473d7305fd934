#include "frontend/plan/named_loops.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/order.h"

#include <algorithm>
#include <map>
#include <set>

namespace halogen {

namespace {

using Names = std::map<std::string, std::string>;

/// The new name of each index of equation `e`, the loops of its Func being `loops`.
Names names_of(const Kernel& kernel, const Solution& solution, int e, const std::vector<std::string>& loops) {
    const Equation& equation = kernel.equations[e];
    const std::vector<bool> pure = lowering::pure_positions(kernel, solution, e);
    Names names;
    std::set<std::string> taken;
    for (std::size_t d = 0; d < pure.size(); d++) {
        if (!pure[d]) continue;
        names[equation.left.at[d].as<IndexRef>()->name] = loops[d];
        taken.insert(loops[d]);
    }
    for (const std::string& index : indices_of(equation)) {
        if (names.count(index)) continue;
        std::string name = index;
        while (taken.count(name)) name += "_";
        taken.insert(name);
        names[index] = name;
    }
    return names;
}

Expr renamed(const Expr& e, const Names& names) {
    return rewrite(e, [&](const Expr& part) {
        auto* index = part.as<IndexRef>();
        return index ? Expr(ExprNode{IndexRef{names.at(index->name)}}, part.position()) : part;
    });
}

/// The places of equation `e` that are checked when the kernel runs, under the new names.
void rename(std::vector<CheckedPlace>& checked, int e, const Equation& equation, const Names& names) {
    std::map<std::string, std::string> texts;
    const auto add = [&](const Expr& access) { texts[print(access)] = print(renamed(access, names)); };
    add(Expr(ExprNode{equation.left}));
    each_node(equation, [&](const Expr& x) {
        if (x.as<Access>()) add(x);
    });
    for (CheckedPlace& place : checked)
        if (place.equation == e) place.access = texts.at(place.access);
}

void rename(Equation& equation, const Names& names) {
    change_expressions(equation, [&](const Expr& e) { return renamed(e, names); });
    for (Where& item : equation.where)
        if (auto* range = std::get_if<InRange>(&item)) range->index = names.at(range->index);
}

}  // namespace

NamedLoops with_named_loops(const Kernel& kernel, const Solution& solution) {
    NamedLoops result{kernel, solution};
    const lowering::Order order = lowering::order_equations(kernel, solution);
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        const std::vector<std::string> loops = lowering::loop_names(kernel, order.versions[order.written[e]]);
        const Names names = names_of(kernel, solution, static_cast<int>(e), loops);
        if (std::all_of(names.begin(), names.end(), [](const auto& n) { return n.first == n.second; })) continue;
        rename(result.kernel.equations[e], names);
        rename(result.solution.checked, static_cast<int>(e), kernel.equations[e], names);
        std::map<std::string, IndexRange> ranges;
        for (auto& [index, range] : solution.indices[e]) ranges.emplace(names.at(index), range);
        result.solution.indices[e] = std::move(ranges);
    }
    return result;
}

}  // namespace halogen
