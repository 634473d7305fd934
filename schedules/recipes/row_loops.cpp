// The loops of reductions by rows and by strips: those of the host, and those of its cores in them.

#include "schedules/recipes/row_loops.h"

#include "schedules/recipes/tiles.h"

#include <algorithm>
#include <utility>

namespace halogen::recipes {

namespace {

int lanes_of(const Task& task, const RowPlan& plan) { return plan.lanes ? plan.lanes : task.lanes(); }

/// The loops of these dims, innermost first.
std::vector<std::string> names_of(const std::vector<std::string>& loops, const std::vector<int>& dims) {
    std::vector<std::string> names;
    for (auto d = dims.rbegin(); d != dims.rend(); ++d) names.push_back(loops[*d]);
    return names;
}

/// Loop `tile` of the host walks over tiles of `width` along loop `dim`, the other loops around it; threads take chunks of it. `unrolled`: the
/// rows of the plan, written out.
void tile_loop(const Task& task, Steps& steps, const RowPlan& plan, int dim, const Formula& width, Tail tail,
               bool unrolled) {
    const std::string &loop = task.host.dims[dim], tile = plan("tile"), inner = loop + plan("_i");
    const bool threads = task.at_root && task.fused_dims == 0;
    const std::string tiles = threads ? plan("tiles") : tile;
    std::vector<int> tiled = plan.inside;
    tiled.insert(tiled.end(), plan.whole.begin(), plan.whole.end());
    std::vector<std::string> order = names_of(task.host.dims, tiled), outer{tiles};
    order.insert(order.begin(), inner);
    Formula points = reduced_points(task) * width;
    for (const int d : tiled) points = points * task.extents()[d];
    tiled.push_back(dim);
    for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;)
        if (std::find(tiled.begin(), tiled.end(), d) == tiled.end()) outer.push_back(task.host.dims[d]);
    order.insert(order.end(), outer.begin(), outer.end());
    if (unrolled)
        steps.unroll(loop, plan.rows, tiles, inner, tail);
    else
        steps.split(loop, tiles, inner, width, tail);
    steps.reorder(order).never_partition(tiles);
    if (task.at_root && !threads)
        share(steps, {task.host.dims[0], task.extents()[0], reduced_points(task) * task.product_without({0})});
    if (!threads) return;
    const Formula iterations = ceil_div(task.extents()[dim], width) * task.product_without(tiled);
    const Formula size = TaskSize{1 << 16, 16}.of({"", iterations, work_of(task, points)});
    steps.parallel(outer, size, plan("tasks"), tile);
}

}  // namespace

void host_rows(const Task& task, Steps& host, const RowPlan& plan) {
    if (static_cast<int>(task.host.dims.size()) <= task.fused_dims) return;
    const int row = static_cast<int>(task.host.dims.size()) - 1;
    tile_loop(task, host, plan, row, plan.rows, Tail::guard, true);
    for (const std::string& loop : names_of(task.host.dims, plan.whole)) host.unroll(loop);
}

void strips(const Task& task, Steps& host, const RowPlan& plan, const Formula& width) {
    const std::string inner = task.host.dims[plan.dim] + plan("_i");
    const bool shorter = plan.single || !plan.inside.empty() || task.has_wide_elements();
    tile_loop(task, host, plan, plan.dim, width, shorter ? Tail::guard : Tail::shift_inwards, false);
    if (plan.single) return;
    host.vectorize(inner, lanes_of(task, plan), inner + "_u", inner + "_v", shorter ? task.vector_tail() : Tail::exact);
}

namespace {

Condition from_extent(const Task& task, const RowPlan& plan, int elements) {
    return {{at_least(task.extents()[plan.dim], Formula(elements))}};
}

/// The host's loops around strips of whole vectors.
void whole_vectors(const Task& task, Steps& host, const RowPlan& plan) {
    const auto from = [&](int elements) { return from_extent(task, plan, elements); };
    const int lanes = task.lanes(), wide = plan.vectors / 8 * lanes;
    host.specialize("strips", from(2 * wide), [&](Steps& steps) { strips(task, steps, plan, wide); });
    host.specialize("vectors", from(4 * lanes), [&](Steps& steps) { strips(task, steps, plan, 4 * lanes); });
    host.specialize("vector", from(lanes), [&](Steps& steps) { strips(task, steps, plan, lanes); });
    tile_loop(task, host, plan, plan.dim, 1, Tail::exact, false);
}

const Condition one_thread{{{Condition::Term::Kind::threads_at_most, {}, 0, 1}}};

int longest_strip(const Task& task, const RowPlan& plan) { return 2 * plan.vectors * task.lanes(); }

/// The host's loops around strips. Rows are read whole, as far as their sums stay in the nearest cache: memory is then read in its own
/// order. Several threads share a row that has no others around it. (Sums over axis 0 on Zen 4, us, by strips of a kilobyte, or of one
/// to four vectors, that fit the row, and so: 3000x500 93 and 75, 3000x8 19 and 4, 1000x600 44 and 28, 1024x1024 62 and 49, 4000x2100
/// 1.5 ms and 0.95; on two threads by strips of 8 kB 0.82 ms, of 2 kB 0.55.)
void host_strips(const Task& task, Steps& host, const RowPlan& plan) {
    if (plan.single) return strips(task, host, plan, plan.vectors / 16 * task.lanes());
    if (plan.lanes) return strips(task, host, plan, plan.lanes);
    if (!task.has_wide_elements()) return whole_vectors(task, host, plan);
    const int width = plan.vectors * task.lanes();
    const bool has_others = task.host.dims.size() > plan.inside.size() + plan.whole.size() + 1;
    if (has_others || !task.at_root) return strips(task, host, plan, width);
    if (!task.host.output)
        return strips(task, host, plan, width / 4);  // a part of a kernel is not worth three forms of code
    if (task.together)
        host.specialize("together", strips_are_rows(task, plan),
                        [&](Steps& steps) { strips(task, steps, plan, longest_strip(task, plan)); });
    host.specialize("alone", one_thread, [&](Steps& steps) { strips(task, steps, plan, width); });
    host.specialize("pages", from_extent(task, plan, width / 2),
                    [&](Steps& steps) { strips(task, steps, plan, width / 4); });
    strips(task, host, plan, width / 16);
}

/// Where the host's tiles are.
LoopOf place_of_tiles(const Task& task, const RowPlan& plan) {
    const std::vector<std::string>& dims = task.host.dims;
    if (dims.empty()) return {"", "root"};
    if (plan.dim < 0 && static_cast<int>(dims.size()) <= task.fused_dims) return {task.host.func, dims.back()};
    if (plan.dim < 0 && !plan.inside.empty()) return {task.host.func, dims[plan.inside.back()]};
    return {task.host.func, plan("tile")};
}

/// A core computed there.
Steps core_at_tiles(const Task& task, const std::string& func, const RowPlan& plan) {
    Steps start = task.stage(func);
    const LoopOf place = place_of_tiles(task, plan);
    if (place.func.empty())
        start.compute_root();
    else
        start.compute_at(place.func, place.loop);
    if (plan.dim < 0 || plan.inside.empty()) start.store_in_stack();
    return start;
}

std::vector<std::string> innermost_first(const CoreStage& stage, const std::string& first) {
    std::vector<std::string> loops;
    if (!first.empty()) loops.push_back(first);
    for (auto loop = stage.reduced.rbegin(); loop != stage.reduced.rend(); ++loop)
        if (*loop != first) loops.push_back(*loop);
    return loops;
}

/// The loops of a tile of rows, innermost first, each with how often it runs; they are pinned to the tile and unrolled.
class Rows {
public:
    Rows(const Task& task, const RowPlan& plan, const std::vector<std::string>& loops) {
        if (plan.rows > 1) loops_.emplace_back(loops.back(), plan.rows);
        for (auto d = plan.whole.rbegin(); d != plan.whole.rend(); ++d)
            loops_.emplace_back(loops[*d], static_cast<int>(*task.extents()[*d].constant()));
    }

    std::vector<int> extents() const {
        std::vector<int> extents;
        for (const auto& [loop, extent] : loops_) extents.push_back(extent);
        return extents;
    }
    void pin(Steps& steps) const {
        for (const auto& [loop, extent] : loops_) steps.bound_extent(loop, extent);
    }
    void unroll(Steps& steps) const {
        for (const auto& [loop, extent] : loops_) steps.unroll(loop);
    }
    void overcompute(Steps& steps) const {
        for (const auto& [loop, extent] : loops_) steps.overcompute(loop);
    }
    void append(std::vector<std::string>& order) const {
        for (const auto& [loop, extent] : loops_) order.push_back(loop);
    }

private:
    std::vector<std::pair<std::string, int>> loops_;
};

}  // namespace

void core_of_rows(const Task& task, const Core& core, const std::string& func, const RowPlan& plan) {
    const Rows rows(task, plan, core.dims);
    Steps start = core_at_tiles(task, func, plan);
    rows.pin(start);
    rows.overcompute(start);
    rows.unroll(start);
    int joined = 0;  // each stage of partial results without masks is followed by one more
    for (const CoreStage& stage : core.stages) {
        const int number = stage.stage + joined;
        const Rows own_rows(task, plan, stage.loops);
        own_rows.overcompute(start);
        Steps update = task.stage(func, number);
        if (stage.reduced.empty()) {
            own_rows.unroll(update);
            continue;
        }
        const std::string loop = plan.along.empty() ? vector_loop(task, stage, plan.last)->loop : plan.along;
        if (plan.single) {
            std::vector<std::string> order;
            own_rows.append(order);
            for (const std::string& reduced : innermost_first(stage, keeps_order(task, stage) ? "" : loop))
                order.push_back(reduced);
            update.reorder(order);
            own_rows.unroll(update);
            if (is_short(task.solution.indices[static_cast<std::size_t>(stage.equation)].at(loop).extent))
                update.unroll(loop);
            continue;
        }
        std::vector<std::string> loops{loop};
        rows.append(loops);
        update.partial(loops, func + "_part" + std::to_string(number), lanes_of(task, plan), plan.vectors,
                       rows.extents(), place_of_tiles(task, plan), plan.masked ? Tail::predicate : Tail::exact);
        joined += !plan.masked;
    }
}

void core_of_strips(const Task& task, const Core& core, const std::string& func, const RowPlan& plan) {
    const auto vectors = [&](Steps& steps, const std::vector<std::string>& loops, std::vector<std::string> reduced) {
        const std::string& loop = loops[plan.dim];
        if (plan.single) {
            std::vector<std::string> order{loop};
            order.insert(order.end(), reduced.begin(), reduced.end());
            if (!reduced.empty()) steps.reorder(order);
            return;
        }
        const bool in_order = plan.inside.empty() && reduced.empty();
        std::vector<std::string> order{loop + "_l"};
        for (const std::string& inside : names_of(loops, plan.inside)) order.push_back(inside);
        order.push_back(loop + "_u");
        steps.vectorize(loop, lanes_of(task, plan), loop + "_u", loop + "_l", Tail::guard);
        const bool several = !reduced.empty();
        if (several) {
            order.insert(order.begin(), reduced.front() + plan("_deep"));
            steps.split(reduced.front(), reduced.front() + plan("_o"), order.front(), plan.deep, Tail::guard);
            reduced.front() += plan("_o");
        }
        order.insert(order.end(), reduced.begin(), reduced.end());
        if (!in_order) steps.reorder(order);
        if (several) steps.unroll(order.front());
    };
    Steps start = core_at_tiles(task, func, plan);
    if (!plan.inside.empty()) vectors_in_memory(task, plan.dim, start, {});
    vectors(start, core.dims, {});
    for (const CoreStage& stage : core.stages) {
        Steps update = task.stage(func, stage.stage);
        vectors(update, stage.loops, innermost_first(stage, ""));
    }
}

void cores(const Task& task, const RowPlan& plan, const std::string& twin) {
    for (const Core& core : task.host.cores) {
        const std::string& func = twin.empty() ? core.func : twin;
        if (plan.dim < 0) {
            core_of_rows(task, core, func, plan);
            continue;
        }
        core_of_strips(task, core, func, plan);
    }
}

Condition strips_are_rows(const Task& task, const RowPlan& plan) {
    return one_thread && Condition{{at_least(longest_strip(task, plan), task.extents()[plan.dim])}};
}

void host_loops(const Task& task, Steps& host, const RowPlan& plan) {
    if (plan.dim < 0)
        host_rows(task, host, plan);
    else
        host_strips(task, host, plan);
}

}  // namespace halogen::recipes
