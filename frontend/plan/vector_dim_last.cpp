#include "frontend/plan/vector_dim_last.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::indices_in;
using lowering::Names;

/// So many elements are short rows in all.
constexpr std::int64_t most = 64;

/// The dim that would become the last one; nothing where all are long, or the rows before are not, or there is none before those.
std::optional<std::size_t> long_dim(const std::vector<Formula>& extents) {
    std::int64_t elements = 1;
    std::size_t first = extents.size();
    while (first > 0 && elements <= most)
        if (const auto extent = extents[first - 1].constant())
            elements *= std::max<std::int64_t>(*extent, 1), first--;
        else
            break;
    const bool are_short = first < extents.size() && elements <= most;
    return are_short && first > 1 ? std::optional(first - 1) : std::nullopt;
}

/// Where `equation` computes the tensor, it stands at plain indices, and nothing is read along the short dims alone.
bool computes_along(const Equation& equation, std::size_t dim) {
    if (reads_itself(equation) ||
        !std::ranges::all_of(equation.left.at, [](const Expr& place) { return bare_index(place).has_value(); }))
        return false;
    const std::string index = *bare_index(equation.left.at[dim]);
    Names others;
    for (std::size_t d = dim + 1; d < equation.left.at.size(); d++) others.insert(*bare_index(equation.left.at[d]));
    bool along = false, across = false;
    each_read(equation, [&](const Access& read) {
        if (read.at.empty()) return;
        const Names last = indices_in(read.at.back());
        const bool moves = indices_in(read).count(index) > 0;
        along = along || last.count(index);
        across = across || (moves && !last.count(index));
    });
    return along && !across;
}

/// The equation reads the tensor in dim `dim` where it writes along its own last one.
bool writes_along(const Equation& equation, const Access& read, std::size_t dim) {
    const auto index = bare_index(read.at[dim]);
    return index && !equation.left.at.empty() && index == bare_index(equation.left.at.back());
}

/// What reads the tensor reduces the short dims, and writes along the long one.
bool reduces_short(const Equation& equation, const Access& read, std::size_t dim) {
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    const auto is_reduced = [&](const Expr& place) {
        const auto index = bare_index(place);
        return index && std::ranges::find(reduced, *index) != reduced.end();
    };
    return writes_along(equation, read, dim) &&
           std::all_of(read.at.begin() + static_cast<std::ptrdiff_t>(dim) + 1, read.at.end(), is_reduced);
}

/// Where `equation` makes a step of the tensor, it stands at one element of dim `dim`, and reads others there alone, along their last dim.
bool steps_beside(const Equation& equation, std::size_t dim) {
    const auto index = bare_index(equation.left.at[dim]);
    if (!index || indices_in(equation.left.at.back()).count(*index)) return false;
    bool fits = true;
    each_read(equation, [&](const Access& read) {
        if (read.tensor == equation.left.tensor)
            fits = fits && bare_index(read.at[dim]) == index && !indices_in(read.at.back()).count(*index);
        else if (indices_in(read).count(*index))
            fits = fits && bare_index(read.at.back()) == index;
    });
    return fits;
}

/// What reads the tensor takes one of its steps, or reduces all, and writes along dim `dim` of it.
bool takes_steps(const Equation& equation, const Access& read, std::size_t dim) {
    const Names written = indices_in(equation.left), steps = indices_in(read.at.back());
    return writes_along(equation, read, dim) &&
           std::ranges::none_of(steps, [&](const std::string& index) { return written.count(index) > 0; });
}

/// `makes` holds of all equations that make the tensor, and `takes` of all that others read of it, which is something.
template<class Makes, class Takes>
bool all_fit(const Kernel& kernel, const std::string& tensor, std::size_t dim, Makes makes, Takes takes) {
    bool fit = true, is_read = false;
    for (const Equation& equation : kernel.equations)
        if (equation.left.tensor == tensor)
            fit = fit && makes(equation, dim);
        else
            each_read(equation, [&](const Access& read) {
                if (read.tensor != tensor) return;
                is_read = true;
                fit = fit && takes(equation, read, dim);
            });
    return fit && is_read;
}

/// Some equation of the tensor follows from elements that were made before.
bool recurs(const Kernel& kernel, const std::string& tensor) {
    return std::ranges::any_of(kernel.equations, [&](const Equation& equation) {
        return equation.left.tensor == tensor && !recurrence_order(kernel, equation).empty();
    });
}

/// The dim that goes last; nothing where that is none, or the last one already.
std::optional<std::size_t> vector_dim(const Kernel& kernel, const Solution& solution, const Tensor& tensor) {
    const auto dim = long_dim(solution.extents.at(tensor.name));
    if (dim && all_fit(kernel, tensor.name, *dim, computes_along, reduces_short)) return dim;
    if (tensor.rank < 2 || !recurs(kernel, tensor.name)) return std::nullopt;
    const auto before = static_cast<std::size_t>(tensor.rank) - 2;
    return all_fit(kernel, tensor.name, before, steps_beside, takes_steps) ? std::optional(before) : std::nullopt;
}

/// Element `dim` goes behind all others.
template<class T>
void put_last(std::vector<T>& of, std::size_t dim) {
    std::rotate(of.begin() + static_cast<std::ptrdiff_t>(dim), of.begin() + static_cast<std::ptrdiff_t>(dim) + 1,
                of.end());
}

}  // namespace

std::optional<Kernel> vector_dim_last(const Kernel& kernel, const Solution& solution) {
    Kernel result = kernel;
    bool any = false;
    for (Tensor& tensor : result.tensors) {
        if (tensor.role != Role::intermediate || tensor.boundary.mode != Boundary::Mode::none) continue;
        const auto dim = vector_dim(kernel, solution, tensor);
        if (!dim) continue;
        any = true;
        if (tensor.dims) put_last(*tensor.dims, *dim);
        for (Equation& equation : result.equations) {
            if (equation.left.tensor == tensor.name) put_last(equation.left.at, *dim);
            rewrite(equation, [&](const Expr& e) {
                const auto* read = e.as<Access>();
                if (!read || read->tensor != tensor.name) return e;
                Access turned = *read;
                put_last(turned.at, *dim);
                return Expr(ExprNode{std::move(turned)});
            });
            equation.text = print(equation);
        }
    }
    return any ? lowering::taken(std::move(result)) : std::nullopt;
}

}  // namespace halogen
