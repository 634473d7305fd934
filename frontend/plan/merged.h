#pragma once
// The same kernel for dense buffers whose neighbouring dims are walked as one.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// Dims `first` to `last` of a tensor, which are one dim of another form of it.
struct DimRun {
    int first = 0, last = 0;
    friend bool operator==(const DimRun&, const DimRun&) = default;
};
/// For every tensor, its dims as runs, outermost first: {{0, 1}, {2, 2}} of `X[i, j, c]` where i and j are one.
using DimRuns = std::map<std::string, std::vector<DimRun>>;

/// A kernel of fewer dims that computes the same elements in the same order.
struct Merged {
    Kernel kernel;
    DimRuns runs;
};

/// Elements that a pixel of a padded row has at most where pixels and elements are one dim; the caller of a kernel whose pixels have a size
/// in place of a number asks for it. More are a row of their own.
constexpr int most_behind_padding = 15;

/// Merges neighbouring dims that every equation walks side by side, over their whole extents, in every tensor that has them:
/// `Y[i, j, c] = a[c]*X[i, j, c]` is `Y[i_j, c] = a[c]*X[i_j, c]`, and `Y[y, x, c] += X[y, x + s, c]` with C colours is
/// `Y[y, x_c] += X[y, x_c + C*s]`. Dense row-major buffers of the kernel, their runs of dims taken as one, are buffers of the result. Sizes
/// that the text names and merged dims alone told are parameters of it. Extents of merged dims are left to be found; with `declares`,
/// those of outputs and intermediates are the products of what is declared. Nothing where no two dims are such, or where an extent
/// without a name that would disappear is used. `solution` has every symbol open. No errors.
std::optional<Merged> merged(const Kernel&, const Solution&, bool declares = false);

/// Whether `solution`, of the merged kernel, gives each run the product of the extents that its dims have in `before`, of the kernel
/// as it was; both have every symbol open.
bool keeps_sizes(const Merged&, const Solution& solution, const Solution& before);

}  // namespace halogen
