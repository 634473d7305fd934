// Convolutions: products of matrices whose rows are windows of an image.

#include "schedules/recipes/tiles.h"

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// A reduction too long for its panel to stay near: blocks of its innermost loop, each with its own small panel that is read
/// as one run of memory, added into the tiles of a whole strip. (7x7x512 on Emerald Rapids, padding not counted: 0.60-0.67 of
/// peak; packing, which waits for the filter to come from L3 at 30 GB/s, takes 22 % of the time, the sums run at 93 % of peak.)
void blocked_core(const Task& task, const Plan& plan, const Names& name, const Core& core, const std::string& func) {
    const int lanes = plan.lanes, width = plan.width();
    const CoreStage& stage = core.stages.front();
    const std::string& v = stage.loops[plan.vector_dim];
    const std::string& row = stage.loops[*plan.row_dim];
    const std::string part = func + "_part", outer = stage.reduced.back() + "_o", inner = stage.reduced.back() + "_i";
    std::vector<std::string> blocks{outer}, kept;
    for (size_t i = stage.reduced.size() - 1; i-- > 0;) blocks.push_back(stage.reduced[i]);
    for (const std::string& loop : blocks) kept.push_back(loop + "_kept");

    Steps start = task.stage(func), sum = task.stage(func, stage.stage);
    start.overcompute(v).overcompute(row);
    start.compute_at(task.host.func, name(task.host.dims[plan.vector_dim], "b"))
        .bound_extent(core.dims[plan.vector_dim], width);
    const auto vectors = [&](Steps& steps, const std::string& loop) {
        steps.split(loop, loop + "_u", loop + "_l", lanes, Tail::exact).vectorize(loop + "_l").unroll(loop + "_u");
    };
    vectors(start, core.dims[plan.vector_dim]);
    sum.split(stage.reduced.back(), outer, inner, task.choose("block", 128, {32, 64, 128, 256}), Tail::guard)
        .rfactor(blocks, part, kept);
    std::vector<std::string> order{v + "_l", v + "_u", row + "_i", row + "_o"};
    for (size_t d = core.dims.size(); d-- > 0;)
        if (static_cast<int>(d) != plan.vector_dim && static_cast<int>(d) != *plan.row_dim)
            order.push_back(stage.loops[d]);
    sum.split(row, row + "_o", row + "_i", plan.rows, Tail::guard);
    vectors(sum, v);
    order.insert(order.end(), blocks.begin(), blocks.end());
    sum.reorder(order);
    for (size_t i = 3; i < order.size() - blocks.size(); i++) sum.never_partition(order[i]);

    Steps first = task.stage(part), update = task.stage(part, 1);
    first.compute_at(func, row + "_o").store_in_stack().bound_extent(core.dims[plan.vector_dim], width);
    first.bound_extent(core.dims[*plan.row_dim], plan.rows);
    for (const std::string& loop : kept) first.bound_extent(loop, 1);
    vectors(first, core.dims[plan.vector_dim]);
    first.unroll(core.dims[*plan.row_dim]);
    vectors(update, v);
    update.reorder({v + "_l", v + "_u", row, inner}).unroll(row);
    pack(task, plan, name, func, func, outer);
}

/// A convolution whose packed panel would not stay in the cache.
Condition long_reduction(const Task& task, const Plan& plan) {
    const Core& core = task.host.cores.front();
    const Formula bytes = panel_bytes(task, core, plan.width());
    return {{{Kind::at_least, {}, 0, 1, bytes, Formula(task.machine.l2_bytes / 4 + 1)}}};
}

}  // namespace

void convolution(const Task& task, const Plan& plan) {
    Steps host = task.stage(task.host.func);
    const Core& core = task.host.cores.front();
    const bool one_sum = core.stages.size() == 1 && core.stages[0].stage == 1 && core.stages[0].reduced.size() > 1;
    const std::optional<Narrow> narrow = narrow_tile(task, plan);
    const std::vector<int> inner{plan.vector_dim, *plan.row_dim};
    if (may_have_twin(task) && one_sum) {
        const std::string twin = core.func + "_blocked";
        const Names blocked{"_blocked", true};
        const Condition when = long_reduction(task, plan);
        host.twin(twin, when);
        if (narrow) host.twin(narrow_name(task), narrow->when);
        if (narrow) narrow_variant(task, host, *narrow);
        host.specialize(when, [&](Steps& inside) { variant(task, inside, plan, blocked, true); });
        blocked_core(task, plan, blocked, core, twin);
        skip_padding(task, core, twin, inner);
    } else if (narrow) {
        host.twin(narrow_name(task), narrow->when);
        narrow_variant(task, host, *narrow);
    }
    variant(task, host, plan, {});
    pad_once(task, plan);
    if (narrow) skip_padding(task, core, narrow_name(task), inner);
    skip_padding(task, core, core.func, inner);
    cores_of(task, plan, {});
}

}  // namespace halogen::recipes
