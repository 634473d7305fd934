#include "frontend/plan/order.h"

#include "frontend/formula/hull.h"
#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <set>

namespace halogen::lowering {

namespace {

/// The last version carries the tensor's name; earlier ones a number.
void name_versions(const Kernel& kernel, const Solution& solution, const std::set<std::string>& in_place,
                   Order& order) {
    for (size_t v = 0; v < order.versions.size(); v++) {
        Version& version = order.versions[v];
        const bool last = order.last.at(version.tensor) == static_cast<int>(v);
        version.stored = last ? version.tensor : free_name(kernel, version.tensor + "_" + std::to_string(v));
        const bool plain = version.equations.size() == 1 && defines_whole(kernel, solution, version.equations.front());
        const bool itself =
            (plain && kernel.tensor(version.tensor).role == Role::intermediate) || in_place.count(version.stored) > 0;
        version.name = itself ? version.stored : free_name(kernel, version.stored + "_value");
    }
}

}  // namespace

std::string free_name(const Kernel& kernel, std::string base) {
    while (kernel.find_tensor(base) || kernel.find_size(base) || kernel.find_scalar(base)) base += "_";
    return base;
}

Order order_equations(const Kernel& kernel, const Solution& solution, const std::set<std::string>& in_place) {
    Versions versions = versions_of(kernel);
    Order order{{}, std::move(versions.written), std::move(versions.read), std::move(versions.last)};
    for (halogen::Version& version : versions.all) order.versions.push_back({std::move(version)});
    name_versions(kernel, solution, in_place, order);
    return order;
}

std::vector<bool> pure_positions(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[e];
    const std::vector<Formula>& extents = solution.extents.at(equation.left.tensor);
    std::map<std::string, int> uses;
    for (const Expr& at : equation.left.at)
        walk(at, [&](const Expr& x) {
            if (auto* index = x.as<IndexRef>()) uses[index->name]++;
        });
    std::vector<bool> pure;
    for (size_t d = 0; d < equation.left.at.size(); d++) {
        auto* index = equation.left.at[d].as<IndexRef>();
        bool ok = index && uses[index->name] == 1;
        if (ok) {
            const IndexRange& range = solution.indices[e].at(index->name);
            ok = range.covers(extents[d]);
            each_self_read(equation, [&](const Access& read) { ok = ok && read.at[d] == equation.left.at[d]; });
        }
        pure.push_back(ok);
    }
    return pure;
}

bool defines_whole(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[e];
    const std::vector<bool> pure = pure_positions(kernel, solution, e);
    return equation.op == Op::assign && !reads_itself(equation) &&
           std::all_of(pure.begin(), pure.end(), [](bool p) { return p; });
}

std::vector<std::string> loop_names(const Kernel& kernel, const Version& version) {
    const Access& left = kernel.equations[version.equations.front()].left;
    std::vector<std::string> names;
    for (size_t d = 0; d < left.at.size(); d++) {
        auto* index = left.at[d].as<IndexRef>();
        std::string name = index ? index->name : "d" + std::to_string(d);
        while (std::find(names.begin(), names.end(), name) != names.end()) name += "_";
        names.push_back(name);
    }
    return names;
}

}  // namespace halogen::lowering

namespace halogen {

namespace {

/// The last index of the left side if it moves all that is read, where it does, by single elements: j of `V[t, j] max= V[t - 1, i] + A[i, j]`.
std::optional<std::string> row_of(const Equation& equation) {
    const auto row = equation.left.at.empty() ? std::nullopt : bare_index(equation.left.at.back());
    if (!row) return std::nullopt;
    bool lies_along = true;
    each_read(equation, [&](const Access& read) {
        for (const Expr& at : read.at)
            if (indices_in(at).count(*row)) lies_along = lies_along && &at == &read.at.back() && bare_index(at) == row;
    });
    return lies_along ? row : std::nullopt;
}

}  // namespace

/// A recurrence's own order leads. What is reduced goes round its rows, for Halide lets the loops of a recurrence lie as they are. (Viterbi's
/// steps of 200 states on Emerald Rapids: 10.4 us each, and 5.2 so.)
std::vector<std::string> serial_loops(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[e];
    const std::vector<bool> pure = lowering::pure_positions(kernel, solution, e);
    std::set<std::string> pure_names;
    for (size_t d = 0; d < pure.size(); d++)
        if (pure[d]) pure_names.insert(equation.left.at[d].as<IndexRef>()->name);
    std::vector<std::string> loops;
    for (const std::string& name : indices_of(equation))
        if (!pure_names.count(name)) loops.push_back(name);
    const std::vector<std::string> order = recurrence_order(kernel, equation);
    std::stable_partition(loops.begin(), loops.end(), [&](const std::string& name) {
        return std::find(order.begin(), order.end(), name) != order.end();
    });
    std::copy(order.begin(), order.end(), loops.begin());
    const auto row = order.empty() || reduced_indices_of(equation).empty() ? std::nullopt : row_of(equation);
    if (row && unordered_loops(kernel, solution, e).count(*row))
        std::ranges::stable_partition(loops, [&](const std::string& name) { return name != *row; });
    return loops;
}

namespace {

/// The index that alone moves a place, by the same number each time: x of `W + 2*x`. Each of its values is another place.
std::optional<std::string> told_apart(const Expr& at, const Solution& solution) {
    const std::set<std::string> indices = indices_in(at);
    const auto place = indices.size() == 1 ? solved_formula(at, solution) : std::nullopt;
    if (!place) return std::nullopt;
    const std::string& index = *indices.begin();
    const Formula step = place->substitute({{index, Formula::symbol(index) + 1}}) - *place;
    return step.constant().value_or(0) != 0 ? std::optional(index) : std::nullopt;
}

/// True where `read`, of the tensor that equation `e` writes, stands at no place that it writes.
bool reads_beside(const Kernel& kernel, const Solution& solution, int e, const Access& read) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Box box = box_of(solution, e);
    for (std::size_t d = 0; d < read.at.size(); d++) {
        const auto from = solved_formula(read.at[d], solution), to = solved_formula(equation.left.at[d], solution);
        if (!from || !to) continue;
        const Hull reads = hull_of(*from, box), writes = hull_of(*to, box);
        if (is_nonnegative(reads.low - writes.high - 1) || is_nonnegative(writes.low - reads.high - 1)) return true;
    }
    return false;
}

}  // namespace

std::set<std::string> unordered_loops(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    if (equation.op == Op::assign && !reads_itself(equation)) {  // no two points of it meet
        const std::vector<std::string> all = indices_of(equation);
        return {all.begin(), all.end()};
    }
    const std::vector<std::string> order = recurrence_order(kernel, equation);
    std::vector<std::optional<std::string>> index;
    for (const Expr& at : equation.left.at) index.push_back(told_apart(at, solution));
    const auto leads = [&](std::size_t d) { return index[d] && std::ranges::count(order, *index[d]) > 0; };
    const auto is_earlier = [&](const Access& read) {
        for (std::size_t d = 0; d < index.size(); d++)
            if (leads(d) && read.at[d] != equation.left.at[d]) return true;
        return false;
    };
    std::set<std::string> loops;
    for (std::size_t d = 0; d < index.size(); d++) {
        bool unordered = index[d].has_value();
        each_self_read(equation, [&](const Access& read) {
            unordered = unordered && (read.at[d] == equation.left.at[d] || (!leads(d) && is_earlier(read)) ||
                                      reads_beside(kernel, solution, e, read));
        });
        if (unordered) loops.insert(*index[d]);
    }
    return loops;
}

std::vector<bool> pure_left_positions(const Kernel& kernel, const Solution& solution, int equation) {
    return lowering::pure_positions(kernel, solution, equation);
}

}  // namespace halogen
