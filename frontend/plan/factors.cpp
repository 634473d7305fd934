#include "frontend/plan/factors.h"

#include "frontend/notation/parts.h"

#include <cstddef>

namespace halogen {

namespace {

/// The read that a factor is, converted or not; null where it is none.
const Access* read_of(const Expr& factor) {
    const auto* converted = factor.as<Cast>();
    return (converted ? *converted->value : factor).as<Access>();
}

/// The read moves with the index in one dim, in which it stands at the index itself and spans all of it.
bool is_whole(const Kernel& kernel, const Solution& solution, const Access& read, const std::string& index,
              const IndexRange& range) {
    if (kernel.tensor(read.tensor).boundary.mode != Boundary::Mode::none || range.min != Formula(0)) return false;
    int places = 0;
    for (std::size_t d = 0; d < read.at.size(); d++) {
        bool moves = false;
        walk(read.at[d], [&](const Expr& x) {
            const auto* named = x.as<IndexRef>();
            moves = moves || (named && named->name == index);
        });
        if (!moves) continue;
        places++;
        if (!read.at[d].as<IndexRef>() || range.extent != solution.extents.at(read.tensor)[d]) return false;
    }
    return places == 1;
}

}  // namespace

std::optional<std::pair<const Access*, const Access*>> whole_factors(const Kernel& kernel, const Solution& solution,
                                                                     int e, const std::string& index) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const auto* product = equation.right.as<Binary>();
    if (equation.op != Op::add || !product || product->op != BinaryOp::mul || !predicates_of(equation).empty())
        return std::nullopt;
    const IndexRange& range = solution.indices[static_cast<std::size_t>(e)].at(index);
    const Access *left = read_of(*product->left), *right = read_of(*product->right);
    const auto whole = [&](const Access* read) { return read && is_whole(kernel, solution, *read, index, range); };
    if (!whole(left) || !whole(right) || left->tensor == right->tensor) return std::nullopt;
    return std::pair{left, right};
}

}  // namespace halogen
