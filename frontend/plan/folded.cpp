#include "frontend/plan/folded.h"

#include "frontend/formula/hull.h"
#include "frontend/formula/sign.h"
#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace halogen {

namespace {

/// A step reads so many before it at most.
constexpr std::int64_t most_turns = 4;

/// How the equations of an intermediate make it, step by step along one of its dims.
class Stepwise {
public:
    Stepwise(const Kernel& kernel, const Solution& solution, const Tensor& tensor, std::size_t dim)
        : kernel_(kernel), solution_(solution), tensor_(tensor), dim_(dim) {}

    /// How many steps have to be kept; nothing where all are, or where steps are none.
    std::optional<std::int64_t> kept() {
        for (std::size_t e = 0; e < kernel_.equations.size(); e++) {
            const Equation& equation = kernel_.equations[e];
            const bool fits = equation.left.tensor == tensor_.name ? makes_steps(e) : takes_the_last(e);
            if (!fits) return std::nullopt;
        }
        const bool begins_behind_the_first = first_ == Formula(before_) && known_ <= before_;
        return before_ > 0 && is_read_ && is_stencil_ && begins_behind_the_first ? std::optional(before_ + 1)
                                                                                 : std::nullopt;
    }

private:
    std::optional<Formula> place_of(const Access& access) const { return solved_formula(access.at[dim_], solution_); }

    /// The first steps, each given by its number, and then the one equation of all others.
    bool makes_steps(std::size_t e) {
        const Equation& equation = kernel_.equations[e];
        const auto place = place_of(equation.left);
        if (!place || before_ > 0 || !lowering::writes_all(kernel_, solution_, e, dim_)) return false;
        if (const auto number = place->constant()) {
            known_ = std::max(known_, *number + 1);
            return *number >= 0 && !reads_itself(equation);
        }
        const auto names = lowering::indices_in(equation.left.at[dim_]);
        if (names.size() != 1) return false;
        for (std::size_t d = 0; d < equation.left.at.size(); d++)
            if (d != dim_ && lowering::indices_in(equation.left.at[d]).count(*names.begin())) return false;
        const Formula next = place->substitute({{*names.begin(), Formula::symbol(*names.begin()) + 1}});
        if (next - *place != Formula(1)) return false;
        bool fits = true;
        each_self_read(equation, [&](const Access& read) {
            const auto from = place_of(read);
            const auto by = from ? (*place - *from).constant() : std::nullopt;
            fits = fits && by && *by >= 0 && *by < most_turns;
            if (!fits) return;
            before_ = std::max(before_, *by);
            for (std::size_t d = 0; d < read.at.size(); d++)
                is_stencil_ = is_stencil_ || (*by > 0 && d != dim_ && read.at[d] != equation.left.at[d]);
        });
        const Hull steps = hull_of(*place, box_of(solution_, static_cast<int>(e)));
        first_ = steps.low;
        end_ = steps.high + 1;
        return fits && before_ > 0;
    }

    /// What else reads the tensor does so behind all steps, and one of the last.
    bool takes_the_last(std::size_t e) {
        bool fits = true;
        each_read(kernel_.equations[e], [&](const Access& read) {
            if (read.tensor != tensor_.name) return;
            is_read_ = true;
            const auto place = place_of(read);
            const Formula& extent = solution_.extents.at(tensor_.name)[dim_];
            const bool all_made = extent == end_ || extent == max(end_, Formula(known_));
            fits = fits && before_ > 0 && place && lowering::indices_in(read.at[dim_]).empty() && all_made &&
                   is_nonnegative(*place - extent + Formula(before_ + 1));
        });
        return fits;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Tensor& tensor_;
    std::size_t dim_;
    std::int64_t known_ = 0, before_ = 0;  // steps that are given, and those that one reads at most
    Formula first_, end_;                  // of the others
    bool is_read_ = false, is_stencil_ = false;
};

/// Element `dim` goes before all others.
template<class T>
void put_first(std::vector<T>& of, std::size_t dim) {
    std::rotate(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(dim),
                of.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
}

void fold(Kernel& kernel, Tensor& tensor, std::size_t dim, std::int64_t turns) {
    if (!tensor.dims) tensor.dims.emplace(static_cast<std::size_t>(tensor.rank));
    (*tensor.dims)[dim].turns = turns;
    put_first(*tensor.dims, dim);
    for (Equation& equation : kernel.equations) {
        rewrite(equation, [&](const Expr& e) {
            const auto* read = e.as<Access>();
            if (!read || read->tensor != tensor.name) return e;
            Access moved = *read;
            put_first(moved.at, dim);
            return Expr(ExprNode{std::move(moved)});
        });
        if (equation.left.tensor == tensor.name) put_first(equation.left.at, dim);
        equation.text = print(equation);
    }
}

}  // namespace

std::optional<Kernel> folded(const Kernel& kernel, const Solution& solution) {
    Kernel result = kernel;
    bool any = false;
    for (Tensor& tensor : result.tensors) {
        if (tensor.role != Role::intermediate || tensor.boundary.mode != Boundary::Mode::none) continue;
        for (std::size_t d = 0; d < static_cast<std::size_t>(tensor.rank); d++) {
            const auto turns = Stepwise(kernel, solution, tensor, d).kept();
            if (!turns) continue;
            fold(result, tensor, d, *turns);
            any = true;
            break;
        }
    }
    return any ? lowering::taken(std::move(result)) : std::nullopt;
}

}  // namespace halogen
