// Hosts that hold the values of their only core themselves.

#include "frontend/formula/sign.h"
#include "frontend/solve/place.h"
#include "schedules/recipes/recipes.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

bool has_remainder(const Expr& place) {
    bool has = false;
    walk(place, [&](const Expr& part) {
        const auto* binary = part.as<Binary>();
        has = has || (binary && binary->op == BinaryOp::mod);
    });
    return has;
}

/// Of a remainder that is written Halide knows no more than that it is below its divisor: the tensor has to reach as far.
bool holds_remainders(const Task& task, const Equation& equation) {
    for (std::size_t d = 0; d < equation.left.at.size(); d++) {
        const Expr& place = equation.left.at[d];
        if (!has_formula(place) || !has_remainder(place)) continue;
        const auto* whole = place.as<Binary>();
        const bool is_one = whole && whole->op == BinaryOp::mod;
        const auto divisor = is_one ? solved_formula(*whole->right, task.solution) : std::nullopt;
        if (!divisor || !is_nonnegative(task.extents()[d] - *divisor)) return false;
    }
    return true;
}

}  // namespace

bool may_hold_values(const Task& task) {
    const Type type = task.kernel.tensor(task.host.tensor).type;
    return may_have_twin(task) && compute_type(type) == type &&
           std::ranges::all_of(task.host.cores[0].stages, [&](const CoreStage& stage) {
               return holds_remainders(task, task.kernel.equations[static_cast<std::size_t>(stage.equation)]);
           });
}

Core core_in_place(const Task& task) {
    task.stage(task.host.func).in_place();
    Core core = task.host.cores[0];
    core.func = task.host.func;
    return core;
}

}  // namespace halogen::recipes
