#include "frontend/plan/filled.h"

#include "frontend/formula/sign.h"
#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/plan/order.h"
#include "frontend/solve/place.h"

#include <algorithm>

namespace halogen {

namespace {

/// What an equation assigns along a dim, one place after the other: from `first` to below `end`, at `offset` from its index if it has one.
struct Run {
    Formula first, end;
    std::optional<std::string> index = {};
    Formula offset = 0;
};

std::optional<Run> run_of(const Kernel& kernel, const Solution& solution, int e, int dim) {
    const Expr& place = kernel.equations[e].left.at[dim];
    const auto at = solved_formula(place, solution);
    if (!at) return std::nullopt;
    if (is_fixed(place)) return Run{*at, *at + Formula(1)};
    const auto indices = lowering::indices_in(place);
    if (indices.size() != 1) return std::nullopt;
    const Formula offset = *at - Formula::symbol(*indices.begin());
    if (offset.symbols().count(*indices.begin())) return std::nullopt;
    const IndexRange& range = solution.indices[e].at(*indices.begin());
    const Formula first = range.min + offset;
    return Run{first, first + range.extent, *indices.begin(), offset};
}

/// What is read along the dim lies before the place that is assigned, at or behind 0, or beyond an edge with values of its own.
bool reads_what_was_assigned(const Kernel& kernel, const Solution& solution, const Equation& equation, int dim,
                             const Run& run) {
    const Boundary::Mode beyond = kernel.tensor(equation.left.tensor).boundary.mode;
    const bool ends = beyond == Boundary::Mode::none || repeats(beyond);
    bool all = true;
    each_self_read(equation, [&](const Access& read) {
        const auto place = solved_formula(read.at[dim], solution);
        if (!place) return void(all = false);
        const Formula place_of_first =
            run.index ? place->substitute(std::map<std::string, Formula>{{*run.index, run.first - run.offset}})
                      : *place;
        const Formula back = (run.index ? Formula::symbol(*run.index) + run.offset : run.first) - *place;
        const bool is_behind = back.constant().value_or(0) >= 1 || (!run.index && is_nonnegative(back - Formula(1)));
        all = all && is_behind && (!ends || is_nonnegative(place_of_first));
    });
    return all;
}

/// A position that is fixed in a dim without elements leaves the whole equation out: then the filled dim has none either.
bool is_computed(const Solution& solution, const Equation& equation, const Formula& filled) {
    bool all = true;
    const auto look = [&](const Access& access) {
        for (std::size_t d = 0; d < access.at.size(); ++d) {
            const Formula& extent = solution.extents.at(access.tensor)[d];
            all = all && (!is_fixed(access.at[d]) || extent == filled || is_nonnegative(extent - Formula(1)));
        }
    };
    if (std::ranges::none_of(equation.left.at, is_fixed)) return true;
    look(equation.left);
    each_read(equation, look);
    return all;
}

bool is_filled_along(const Kernel& kernel, const Solution& solution, const std::vector<int>& equations, int dim) {
    const Formula& extent = solution.extents.at(kernel.equations[equations.front()].left.tensor)[dim];
    Formula end = 0;
    for (const int e : equations) {
        const Equation& equation = kernel.equations[e];
        const std::vector<bool> pure = lowering::pure_positions(kernel, solution, e);
        for (int d = 0; d < static_cast<int>(pure.size()); ++d)
            if (d != dim && !pure[d]) return false;
        const auto run = run_of(kernel, solution, e, dim);
        if (!run || run->first != end || !reads_what_was_assigned(kernel, solution, equation, dim, *run)) return false;
        if (!is_computed(solution, equation, extent)) return false;
        end = run->end;
    }
    return end == extent;
}

/// The equation has as many points as its tensor has elements, of which no two meet in one: `K[i*P + p, q] = A[i]*B[p, q]`.
bool assigns_each_element(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[e];
    if (reads_itself(equation) || !std::ranges::all_of(equation.left.at, [&](const Expr& place) {
            return !is_fixed(place) && solved_formula(place, solution);
        }))
        return false;
    Formula points = 1, elements = 1;
    for (const auto& [index, range] : solution.indices[e]) points = points * range.extent;
    for (const Formula& extent : solution.extents.at(equation.left.tensor)) elements = elements * extent;
    return points == elements;
}

}  // namespace

bool is_filled(const Kernel& kernel, const Solution& solution, const std::vector<int>& equations) {
    const bool assign = std::ranges::all_of(equations, [&](int e) {
        return kernel.equations[e].op == Op::assign && predicates_of(kernel.equations[e]).empty();
    });
    const int rank = static_cast<int>(kernel.equations[equations.front()].left.at.size());
    bool filled = assign && equations.size() == 1 && assigns_each_element(kernel, solution, equations.front());
    for (int dim = 0; dim < rank && assign; ++dim) filled = filled || is_filled_along(kernel, solution, equations, dim);
    return filled;
}

bool starts_unseen(const Kernel& kernel, const Solution& solution, const Version& version) {
    return version.previous < 0 && !lowering::defines_whole(kernel, solution, version.equations.front()) &&
           is_filled(kernel, solution, version.equations);
}

}  // namespace halogen
