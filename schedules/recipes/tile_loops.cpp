// The loops of register tiles: accumulators inside, the tiles of the host around them.

#include "schedules/recipes/tiles.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

/// The panels that one block of a contraction meets: as many as fit a quarter of L2, so that the rows they meet are read once
/// for all of them.
Formula panels_of_block(const Task& task, int width) {
    const Formula most = task.choose("panels", 8, {1, 2, 4, 8, 16});
    return max(1, min(most, floor_div(task.machine.l2_bytes / 4, panel_bytes(task, task.host.cores[0], width))));
}

/// Tiles of a contraction in blocks of panels and of rows, which follow `order`, and what threads take: a block. `alone`: the host has
/// no other loops.
Shared blocks_of_tiles(const Task& task, Steps& steps, const Plan& plan, const Names& name, bool alone,
                       std::vector<std::string>& order) {
    const std::string &v = task.host.dims[plan.vector_dim], &row = task.host.dims[*plan.row_dim];
    const Formula &wide = task.extents()[plan.vector_dim], &high = task.extents()[*plan.row_dim];
    // Four blocks of columns, if there are so many, for threads: they share nothing that is packed.
    const Formula wide_panels = panels_of_block(task, plan.width()), few = ceil_div(wide, 4 * plan.width());
    const Formula for_threads = few.constant() == 1 ? Formula(1) : max(1, min(wide_panels, few));
    const Formula panels = task.at_root && alone ? for_threads : wide_panels;
    const int rows = task.choose("block_rows", 96, {12, 24, 48, 96, 192});
    const std::vector<std::string> in_block{name(v, "t"), name(row, "t")};
    steps.tile(in_block, {name(v, "p"), name(row, "b")}, in_block, {panels, rows}, Tail::guard);
    order.insert(order.end(), {name(v, "t"), name(row, "t"), name(v, "p"), name(row, "b")});
    return {name(v, "b"), ceil_div(wide, panels * plan.width()) * ceil_div(high, rows * plan.rows),
            reduced_points(task) * min(wide, panels * plan.width()) * min(high, rows * plan.rows)};
}

/// Some place of what is read moves with both loops.
bool slide_together(const CoreStage& stage, const std::string& a, const std::string& b) {
    return std::ranges::any_of(stage.reads, [&](const Read& read) {
        return std::ranges::any_of(read.at, [&](const LinearPlace& place) {
            return place.affine && place.moves_with(a) && place.moves_with(b);
        });
    });
}

}  // namespace

void take_registers(const Task& task, Steps& steps, const std::vector<std::string>& inside) {
    if (!may_have_twin(task)) return;
    for (const std::string& loop : inside) steps.unroll(loop);
}

void tile_loops(const Task& task, Steps& steps, const Plan& plan, const Names& name) {
    const int lanes = plan.lanes, width = plan.width();
    const std::vector<Formula>& extents = task.extents();
    const Formula behind = reduced_points(task);
    const bool shares = task.at_root && !plan.strip;
    const std::string& v = task.host.dims[plan.vector_dim];
    const std::string row = plan.row_dim ? task.host.dims[*plan.row_dim] : "";
    std::vector<std::string> order{name(v, "i")}, windowed, others;
    const std::string tiles = name(v, plan.contraction && plan.window ? "b" : "t");
    const Formula across = plan.strip.value_or(width);
    const Tail end = plan.strip ? Tail::shift_inwards : Tail::guard,
               last_rows = plan.shifted_rows ? Tail::shift_inwards : Tail::guard;
    if (!row.empty()) order.push_back(name(row, "i"));
    if (!row.empty() && end == last_rows) {
        steps.tile({v, row}, {tiles, name(row, "t")}, order, {across, plan.rows}, end);
    } else {
        steps.split(v, tiles, name(v, "i"), across, end);
        if (!row.empty()) steps.split(row, name(row, "t"), name(row, "i"), plan.rows, last_rows);
    }
    Formula inside = 1, around = 1;  // iterations of windowed loops and of the others
    for (int d = static_cast<int>(task.host.dims.size()); d-- > task.fused_dims;) {
        if (d == plan.vector_dim || d == plan.row_dim.value_or(-1)) continue;
        const bool in_window =
            plan.contraction && std::find(plan.windowed.begin(), plan.windowed.end(), d) != plan.windowed.end();
        (in_window ? windowed : others).push_back(task.host.dims[d]);
        Formula& iterations = in_window ? inside : around;
        iterations = iterations * extents[d];
    }
    Shared threads;
    if (!plan.contraction) {
        order.push_back(name(v, "t"));
        threads = {name(v, "t"), ceil_div(extents[plan.vector_dim], width), behind * width};
        if (!row.empty()) {
            order.push_back(name(row, "t"));
            threads = {name(row, "t"), ceil_div(extents[*plan.row_dim], plan.rows),
                       behind * extents[plan.vector_dim] * plan.rows};
        }
    } else if (plan.window) {
        order.push_back(name(row, "t"));
        order.insert(order.end(), windowed.begin(), windowed.end());
        order.push_back(name(v, "b"));
        const Formula line = behind * extents[*plan.row_dim] * width;
        threads = {name(v, "b"), ceil_div(extents[plan.vector_dim], width), line * inside};
        if (!windowed.empty() && !name.blocked) threads = {windowed.back(), inside, line};
    } else {
        threads = blocks_of_tiles(task, steps, plan, name, others.empty(), order);
        threads.iterations = threads.iterations * around;
    }
    order.insert(order.end(), others.begin(), others.end());
    steps.reorder(order);
    const bool packed = plan.contraction && !plan.window, by_blocks = shares && task.fused_dims == 0;
    const auto whole = [&] {  // the loops around packed tiles, once there is one of blocks
        steps.never_partition(name(v, "t")).never_partition(name(row, "t")).never_partition(threads.loop);
    };
    if (packed) {
        threads.made_of = {name(v, "p"), name(row, "b")};
        threads.made_of.insert(threads.made_of.end(), others.begin(), others.end());
        if (!by_blocks) steps.flatten(threads.made_of, threads.loop), whole();
        others.clear();
    } else if (!row.empty()) {
        steps.never_partition(name(row, "t"));
        if (plan.contraction) steps.never_partition(name(v, "b"));
    }
    const auto rows =
        plan.contraction || task.fused_dims > 0 || !shares ? std::nullopt : shared_rows(others, name(v, "rows"));
    for (const std::string& loop : windowed) steps.never_partition(loop);
    for (const std::string& loop : others) steps.never_partition(loop);
    steps.vectorize(name(v, "i"), lanes, name(v, "u"), name(v, "l"), task.vector_tail());
    if (!plan.strip && !name.blocked && plan.vector_dim + 1 == static_cast<int>(task.host.dims.size())) {
        const std::string vectors = name(v, "u");
        take_registers(task, steps, row.empty() ? std::vector{vectors} : std::vector{vectors, name(row, "i")});
    }
    if (!shares) return;
    if (rows) {
        threads_over(task, steps, *rows);
    } else if (name.blocked) {
        steps.parallel(threads.loop);
    } else if (task.fused_dims > 0) {
        row_blocks(task, steps);
        // Rows that slide, begun in a loop of their own: Harris takes twice as long.
        if (task.slides) steps.never_partition(task.host.dims[0]);
    } else {
        share(steps, threads);
        if (packed) whole();
    }
}

std::optional<SharedRows> shared_rows(std::vector<std::string>& outer, const std::string& fused) {
    if (outer.empty()) return std::nullopt;
    if (outer.size() == 1) return SharedRows{outer[0], outer};
    SharedRows rows{fused, {outer.end() - 2, outer.end()}};
    outer.resize(outer.size() - 2);
    return rows;
}

void threads_over(const Task& task, Steps& steps, const SharedRows& rows) {
    std::vector<int> shared, inside;
    for (int d = 0; d < static_cast<int>(task.host.dims.size()); d++)
        (std::find(rows.dims.begin(), rows.dims.end(), task.host.dims[d]) != rows.dims.end() ? shared : inside)
            .push_back(d);
    share(steps,
          {rows.loop, task.product_without(inside), reduced_points(task) * task.product_without(shared), rows.dims});
}

void registers(const Task& task, const Core& core, const std::string& func, const Plan& plan,
               const std::string& level) {
    const int lanes = plan.lanes;
    const std::string& vector = core.dims[plan.vector_dim];
    Steps start = task.stage(func);
    const auto overcompute = [&](const std::vector<std::string>& loops) {
        start.overcompute(loops[plan.vector_dim]);
        if (plan.row_dim && !plan.shifted_rows) start.overcompute(loops[*plan.row_dim]);
    };
    const auto inner = [&](Steps& steps, const std::string& v, const std::string& row,
                           std::vector<std::string> reduced) {
        steps.vectorize(v, lanes, v + "_u", v + "_l", Tail::exact);
        std::vector<std::string> order{v + "_l", v + "_u"};
        if (!row.empty()) order.push_back(row);
        const bool dots = plan.dots && !reduced.empty();
        if (dots) {
            order.insert(order.begin(), plan.dots->loop + "_dot");
            reduced.back() = plan.dots->loop + "_o";
            steps.split(plan.dots->loop, reduced.back(), order.front(), plan.dots->points, Tail::exact);
        }
        order.insert(order.end(), reduced.rbegin(), reduced.rend());
        steps.reorder(order);
        if (dots) steps.atomic().vectorize(order.front());
        if (plan.vectors > 1) steps.unroll(v + "_u");
        if (!row.empty()) steps.unroll(row);
    };
    overcompute(core.dims);
    vectors_in_memory(task, plan.vector_dim, start, {});
    if (!plan.dots) {
        std::vector<std::string> tile{vector};
        std::vector<int> rows;
        if (plan.row_dim) tile.push_back(core.dims[*plan.row_dim]), rows.push_back(plan.rows);
        start.registers(tile, lanes, plan.vectors, rows, {task.host.func, level});
        return;
    }
    start.compute_at(task.host.func, level).store_in_stack().bound_extent(vector, plan.width());
    if (plan.row_dim) start.bound_extent(core.dims[*plan.row_dim], plan.rows);
    inner(start, vector, plan.row_dim ? core.dims[*plan.row_dim] : "", {});
    for (const CoreStage& stage : core.stages) {
        Steps steps = task.stage(func, stage.stage);
        overcompute(stage.loops);
        inner(steps, stage.loops[plan.vector_dim], plan.row_dim ? stage.loops[*plan.row_dim] : "", stage.reduced);
    }
}

bool has_few_points(const Task& task, const CoreStage& stage, std::int64_t most) {
    std::int64_t points = 1;
    for (const std::string& loop : stage.reduced) {
        const auto extent = task.solution.indices[stage.equation].at(loop).extent.constant();
        points = extent && *extent <= most ? points * *extent : most + 1;
    }
    return points <= most;
}

void unroll_windows(const Task& task, const Core& core, const std::string& func, const std::string& along,
                    std::int64_t most) {
    for (const CoreStage& stage : core.stages) {
        if (!has_few_points(task, stage, most)) continue;
        Steps steps = task.stage(func, stage.stage);
        for (const std::string& loop : stage.reduced)
            if (along.empty() || slide_together(stage, loop, along)) steps.unroll(loop);
    }
}

}  // namespace halogen::recipes
