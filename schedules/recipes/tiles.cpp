// Reductions whose result has a vector loop: register tiles of the result, all reduced loops inside, so that accumulators
// never leave the registers. Contractions, convolutions, pooling, stencils, sums over outer loops.

#include "schedules/recipes/recipes.h"

#include <algorithm>
#include <optional>

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// How the cores of a host are tiled along one vector loop.
struct Plan {
    int vector_dim = 0;
    std::optional<int> row_dim;  // a loop along which a vector operand is used again
    bool contraction = false;    // product of a vector operand and one that does not move with the vector loop
    bool window = false;         // the other operand is read at sums of loops: a convolution
    bool slides = false;         // some operand is read at sums of loops
    std::vector<int> windowed;   // other dims of the host that the other operand is read at sums of
    int vectors = 4, rows = 1;   // the register tile
};

/// Registers choose the tile: `rows` x `vectors` accumulators, the vector operands, a broadcast and, without a fused
/// multiply-add, the product. Measured on Emerald Rapids (avx512, f32, sgemm 64…2048): 8 x 2 0.80-0.92 of peak; 12 and 13
/// rows gain 1-3 % at 2048 and lose more to raggedness at 64 and 100.
void choose_tile(const Task& task, Plan& plan) {
    const bool wide = task.machine.vector_registers >= 32;
    const bool fused = task.machine.vector_bytes > 16;
    if (!plan.contraction) {
        // Sums of long columns need several accumulators to hide the latency of an addition; windows are short, and narrow
        // tiles waste less where the last dim is short (channels).
        plan.vectors = plan.slides ? (plan.row_dim ? 2 : 1) : (wide ? 4 : 2);
        plan.rows = plan.row_dim ? (wide ? 4 : 2) : 1;
        return;
    }
    // 7 divides the rows of the common convolutions (7, 14, 28, 56); 7 x 4 is no faster and costs code.
    plan.vectors = 2;
    plan.rows = std::min(plan.window ? 7 : 8, (task.machine.vector_registers - (fused ? 4 : 8)) / plan.vectors);
}

std::optional<Plan> plan_along(const Task& task, int dim) {
    const Host& host = task.host;
    const std::string& loop = host.dims[dim];
    Plan plan;
    plan.vector_dim = dim;
    bool vector_read = false;
    for (const Core& core : host.cores)
        for (const CoreStage& stage : core.stages) {
            if (stage.reduced.empty()) continue;
            std::vector<const Read*> with, without;
            for (const Read& read : stage.reads) (read.moves_with(loop) ? with : without).push_back(&read);
            vector_read = vector_read || !with.empty();
            for (const Read& read : stage.reads)
                for (const LinearPlace& place : read.at) plan.slides = plan.slides || place.coefficients.size() > 1;
            for (const Read* read : with) {
                for (int d = static_cast<int>(host.dims.size()); d-- > task.fused_dims;)
                    if (d != dim && !plan.row_dim && !read->moves_with(host.dims[d])) plan.row_dim = d;
            }
            for (const Read* read : without) {
                if (!plan.row_dim || !read->moves_with(host.dims[*plan.row_dim]) || with.empty()) continue;
                plan.contraction = true;
                for (const LinearPlace& place : read->at) {
                    if (place.coefficients.size() < 2) continue;
                    plan.window = true;
                    for (int d = task.fused_dims; d < static_cast<int>(host.dims.size()); d++)
                        if (d != *plan.row_dim && place.coefficients.count(host.dims[d])) plan.windowed.push_back(d);
                }
            }
        }
    if (!vector_read) return std::nullopt;
    choose_tile(task, plan);
    return plan;
}

/// A read that moves with the vector loop by single elements: its tensor and dim.
struct VectorRead {
    std::string tensor;
    int dim;
    int rank;
    bool operator==(const VectorRead&) const = default;
};

std::vector<VectorRead> vector_reads(const Task& task, const std::string& loop) {
    std::vector<VectorRead> reads;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            for (const Read& read : stage.reads) {
                const auto dim = read.unit_dim(loop);
                if (!task.is_input(read.tensor) || !dim) continue;
                const VectorRead found{read.tensor, *dim, static_cast<int>(read.at.size())};
                if (std::find(reads.begin(), reads.end(), found) == reads.end()) reads.push_back(found);
            }
    return reads;
}

/// What one variant of the nest calls its loops, so that several can stand beside each other.
struct Names {
    std::string suffix;
    bool blocked = false;  // the reduction runs in blocks, each with panels of its own
    std::string operator()(const std::string& loop, const char* part) const { return loop + "_" + part + suffix; }
};

/// The accumulators of one core: pinned extents, everything unrolled but the reduced loops.
void registers(const Task& task, const Core& core, const std::string& func, const Plan& plan,
               const std::string& level) {
    const int lanes = task.lanes();
    const std::string& vector = core.dims[plan.vector_dim];
    Steps start = task.stage(func);
    start.compute_at(task.host.func, level).store_in_stack().bound_extent(vector, plan.vectors * lanes);
    if (plan.row_dim) start.bound_extent(core.dims[*plan.row_dim], plan.rows);
    const auto inner = [&](Steps& steps, const std::string& v, const std::string& row,
                           const std::vector<std::string>& reduced) {
        steps.split(v, v + "_u", v + "_l", lanes, Tail::exact);
        std::vector<std::string> order{v + "_l", v + "_u"};
        if (!row.empty()) order.push_back(row);
        order.insert(order.end(), reduced.rbegin(), reduced.rend());
        steps.reorder(order).vectorize(v + "_l").unroll(v + "_u");
        if (!row.empty()) steps.unroll(row);
    };
    start.overcompute(vector);
    if (plan.row_dim) start.overcompute(core.dims[*plan.row_dim]);
    inner(start, vector, plan.row_dim ? core.dims[*plan.row_dim] : "", {});
    for (const CoreStage& stage : core.stages) {
        Steps steps = task.stage(func, stage.stage);
        start.overcompute(stage.loops[plan.vector_dim]);
        if (plan.row_dim) start.overcompute(stage.loops[*plan.row_dim]);
        inner(steps, stage.loops[plan.vector_dim], plan.row_dim ? stage.loops[*plan.row_dim] : "", stage.reduced);
    }
}

/// The bytes a panel of a packed operand takes per element of the vector loop, over all reduced points.
Formula panel_bytes(const Task& task, const Core& core, int width) {
    Formula points = 1;
    for (const CoreStage& stage : core.stages)
        for (const std::string& loop : stage.reduced)
            points = points * task.solution.indices[stage.equation].at(loop).extent;
    return max(points, Formula(1)) * Formula(4 * width);
}

/// The loops of the host around its register tiles. Packed panels live in loop `v_b`: a block of panels and of rows for a
/// contraction, one panel for a convolution, whose windowed loops run inside it.
void tile_loops(const Task& task, Steps& steps, const Plan& plan, const Names& name, bool unit, bool parallel) {
    const int lanes = task.lanes(), width = plan.vectors * lanes;
    const std::string& v = task.host.dims[plan.vector_dim];
    const std::string row = plan.row_dim ? task.host.dims[*plan.row_dim] : "";
    std::vector<std::string> order{name(v, "i")}, windowed, others;
    steps.split(v, name(v, plan.contraction && plan.window ? "b" : "t"), name(v, "i"), width, Tail::guard);
    if (!row.empty()) {
        steps.split(row, name(row, "t"), name(row, "i"), plan.rows, Tail::guard);
        order.push_back(name(row, "i"));
    }
    for (int d = static_cast<int>(task.host.dims.size()); d-- > task.fused_dims;) {
        if (d == plan.vector_dim || d == plan.row_dim.value_or(-1)) continue;
        const bool inside =
            plan.contraction && std::find(plan.windowed.begin(), plan.windowed.end(), d) != plan.windowed.end();
        (inside ? windowed : others).push_back(task.host.dims[d]);
    }
    std::string threads = plan.contraction ? name(v, "b") : row.empty() ? name(v, "t") : name(row, "t");
    if (!plan.contraction) {
        order.push_back(name(v, "t"));
        if (!row.empty()) order.push_back(name(row, "t"));
        if (!others.empty()) threads = others.back();
    } else if (plan.window) {
        order.push_back(name(row, "t"));
        order.insert(order.end(), windowed.begin(), windowed.end());
        order.push_back(name(v, "b"));
        if (!windowed.empty() && !name.blocked) threads = windowed.back();
    } else {
        // As many panels at a time as fit a quarter of L2, so that the rows they meet are read once for all of them.
        const Formula panels =
            max(Formula(1), min(Formula(8), floor_div(Formula(task.machine.l2_bytes / 4),
                                                      panel_bytes(task, task.host.cores[0], width))));
        steps.split(name(row, "t"), name(row, "b"), name(row, "t"), 96, Tail::guard);
        steps.split(name(v, "t"), name(v, "p"), name(v, "t"), panels, Tail::guard);
        order.insert(order.end(), {name(v, "t"), name(row, "t"), name(v, "p"), name(row, "b")});
    }
    order.insert(order.end(), others.begin(), others.end());
    steps.reorder(order);
    if (plan.contraction && !plan.window) {
        steps.never_partition(name(v, "t")).never_partition(name(row, "t"));
        steps.fuse(name(v, "p"), name(row, "b"), others.empty() ? name(v, "b") : name(v, "rb"));
        if (!others.empty()) steps.fuse(name(v, "rb"), others[0], name(v, "b"));
        steps.never_partition(name(v, "b"));
        others.clear();
    } else if (!row.empty()) {
        steps.never_partition(name(row, "t"));
    }
    if (!plan.contraction && others.size() > 1 && task.fused_dims == 0) {  // images and their rows: one is often single
        threads = name(v, "rows");
        steps.fuse(others[others.size() - 2], others.back(), threads);
        others.resize(others.size() - 2);
    }
    for (const std::string& loop : windowed) steps.never_partition(loop);
    for (const std::string& loop : others) steps.never_partition(loop);
    if (unit) steps.split(name(v, "i"), name(v, "u"), name(v, "l"), lanes, task.vector_tail()).vectorize(name(v, "l"));
    if (parallel) steps.parallel(task.fused_dims ? task.host.dims[0] : threads);
}

/// One way to compute the host: its tiles with vectors where the output is unit-stride, with threads where they pay.
void variant(const Task& task, Steps& host, const Plan& plan, const Names& name) {
    const auto with = [&](bool unit, bool big) {
        Condition c;
        if (unit && task.host.output) c.all.push_back({Kind::stride_is, task.host.func, plan.vector_dim, 1});
        if (big) {
            const Condition worth = task.worth_threads();
            c.all.insert(c.all.end(), worth.all.begin(), worth.all.end());
        }
        const auto body = [&](Steps& steps) { tile_loops(task, steps, plan, name, unit, big); };
        if (c.all.empty())
            body(host);
        else
            host.specialize(c, body);
    };
    if (task.at_root) with(true, true);
    with(true, false);
    if (task.host.output) with(false, false);
}

/// A padded operand is filled in once per image, so that the loops over windows meet no edges.
void pad_once(const Task& task, const Plan& plan) {
    if (!plan.window) return;
    std::string level;
    for (int d = 0; d < static_cast<int>(task.host.dims.size()); d++)
        if (d != plan.vector_dim && d != *plan.row_dim &&
            std::find(plan.windowed.begin(), plan.windowed.end(), d) == plan.windowed.end())
            level = task.host.dims[d];
    for (const Tensor* tensor : task.kernel.inputs()) {
        const bool read = std::any_of(task.host.reads.begin(), task.host.reads.end(),
                                      [&](const Read& r) { return r.tensor == tensor->name; });
        if (!read || tensor->boundary.mode == Boundary::Mode::none) continue;
        const std::string padded = padded_name(task.kernel, tensor->name),
                          loop = padded + "_d" + std::to_string(tensor->rank - 1);
        Steps steps = task.stage(padded);
        if (level.empty())
            steps.compute_root();
        else
            steps.compute_at(task.host.func, level);
        steps.specialize({{{Kind::stride_is, tensor->name, tensor->rank - 1, 1}}}, [&](Steps& s) {
            s.split(loop, loop + "_o", loop + "_v", task.lanes(), task.vector_tail()).vectorize(loop + "_v");
        });
    }
}

/// The vector operands of a core in panels as wide as a tile, made at loop `level` of `at`.
void pack(const Task& task, const Plan& plan, const Names& name, const std::string& func, const std::string& at,
          const std::string& level) {
    const int width = plan.vectors * task.lanes();
    for (const VectorRead& read : vector_reads(task, task.host.dims[plan.vector_dim])) {
        const std::string copy = read.tensor + "_pack" + name.suffix, loop = copy + "_d" + std::to_string(read.dim);
        task.stage(func).copy_in(read.tensor, copy, read.dim, width);
        Steps steps = task.stage(copy);
        steps.compute_at(at, level).bound_extent(loop, width);
        std::vector<std::string> storage{loop};
        for (int d = read.rank; d-- > 0;)
            if (d != read.dim) storage.push_back(copy + "_d" + std::to_string(d));
        storage.push_back(copy + "_panel");
        steps.reorder_storage(storage).reorder(storage);
        const auto vectors = [&](Steps& s) {
            s.split(loop, loop + "_u", loop + "_v", task.lanes(), Tail::exact)
                .vectorize(loop + "_v")
                .unroll(loop + "_u");
        };
        for (int d = read.rank; d-- > 0;) steps.specialize({{{Kind::stride_is, read.tensor, d, 1}}}, vectors);
    }
}

/// A reduction too long for its panel to stay near: blocks of its innermost loop, each with its own small panel that is read as
/// one run of memory, added into the tiles of a whole strip. (7x7x512 on Emerald Rapids: 0.57 of peak without, 0.66-0.72 with.)
void blocked_core(const Task& task, const Plan& plan, const Names& name, const Core& core, const std::string& func) {
    const int lanes = task.lanes(), width = plan.vectors * lanes;
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
    sum.split(stage.reduced.back(), outer, inner, 128, Tail::guard).rfactor(blocks, part, kept);
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

/// The cores of one variant; a twin is the second computation of the only core.
void cores_of(const Task& task, const Plan& plan, const Names& name, const std::string& twin = "") {
    const std::string& v = task.host.dims[plan.vector_dim];
    const bool window = plan.contraction && plan.window;
    for (const Core& core : task.host.cores) {
        const std::string& func = twin.empty() ? core.func : twin;
        registers(task, core, func, plan, window ? name(task.host.dims[*plan.row_dim], "t") : name(v, "t"));
        if (plan.contraction) pack(task, plan, name, func, task.host.func, name(v, "b"));
    }
}

/// A convolution whose packed panel would not stay in the cache.
Condition long_reduction(const Task& task, const Plan& plan) {
    const Core& core = task.host.cores.front();
    const Formula bytes = panel_bytes(task, core, plan.vectors * task.lanes());
    return {{{Kind::at_least, {}, 0, 1, bytes, Formula(task.machine.l2_bytes / 4 + 1)}}};
}

}  // namespace

bool fits_tiles(const Task& task) {
    const int rank = static_cast<int>(task.host.dims.size());
    if (rank == 0 || rank <= task.fused_dims) return false;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            if (!stage.plain) return false;
    const auto plan = plan_along(task, rank - 1);
    if (!plan) return false;
    if (plan->contraction) return task.host.cores.size() == 1;
    for (const VectorRead& read : vector_reads(task, task.host.dims[rank - 1]))
        if (read.dim != read.rank - 1) return false;
    for (const Read& read : task.host.reads)
        if (read.moves_with(task.host.dims[rank - 1]) && !read.unit_dim(task.host.dims[rank - 1])) return false;
    return true;
}

namespace {

/// The choice between two computations is known to Halide only where the host itself copies its one core.
bool may_have_twin(const Task& task) {
    const std::vector<Core>& cores = task.host.cores;
    return cores.size() == 1 && cores[0].stored == task.host.func && task.fused_dims == 0;
}

/// A convolution: the plain form, and for long reductions the blocked one.
void convolution(const Task& task, const Plan& plan) {
    Steps host = task.stage(task.host.func);
    const Core& core = task.host.cores.front();
    const bool one_sum = core.stages.size() == 1 && core.stages[0].stage == 1 && core.stages[0].reduced.size() > 1;
    if (may_have_twin(task) && one_sum) {
        const std::string twin = core.func + "_blocked";
        const Names blocked{"_blocked", true};
        const Condition when = long_reduction(task, plan);
        host.twin(twin, when).specialize(when, [&](Steps& inside) { variant(task, inside, plan, blocked); });
        variant(task, host, plan, {});
        blocked_core(task, plan, blocked, core, twin);
    } else {
        variant(task, host, plan, {});
    }
    pad_once(task, plan);
    cores_of(task, plan, {});
}

/// A product of matrices: vectors along the last loop, and along the first where all operands are stored that way round.
void contraction(const Task& task, const Plan& plan) {
    Steps host = task.stage(task.host.func);
    const auto turned = task.host.dims.size() == 2 && may_have_twin(task) ? plan_along(task, 0) : std::nullopt;
    Condition when;
    for (const Read& read : task.host.reads) {
        const int rank = static_cast<int>(read.at.size());
        const Condition::Term term{Kind::stride_below, read.tensor, 0, rank - 1};
        if (task.is_input(read.tensor) && rank > 1 &&
            std::find(when.all.begin(), when.all.end(), term) == when.all.end())
            when.all.push_back(term);
    }
    if (turned && turned->contraction && !turned->window && !when.all.empty()) {
        const std::string twin = task.host.cores.front().func + "_turned";
        const Names name{"_turned"};
        host.twin(twin, when).specialize(when, [&](Steps& inside) { variant(task, inside, *turned, name); });
        variant(task, host, plan, {});
        cores_of(task, *turned, name, twin);
    } else {
        variant(task, host, plan, {});
    }
    cores_of(task, plan, {});
}

}  // namespace

void tiles(const Task& task) {
    const Plan plan = *plan_along(task, static_cast<int>(task.host.dims.size()) - 1);
    if (plan.contraction) return plan.window ? convolution(task, plan) : contraction(task, plan);
    Steps host = task.stage(task.host.func);
    variant(task, host, plan, {});
    cores_of(task, plan, {});
}

}  // namespace halogen::recipes
