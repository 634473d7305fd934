// Convolutions: products of matrices whose rows are windows of an image.

#include "schedules/recipes/tiles.h"

#include "frontend/notation/parts.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// The vector operands of the convolution lie along the vector loop.
Condition dense(const Task& task, const Plan& plan) {
    Condition c;
    for (const VectorRead& read : vector_reads(task, task.host.dims[plan.vector_dim]))
        c.all.push_back({Kind::stride_is, read.tensor, read.dim, 1});
    return c;
}

/// A vector loop whose extent is that of a tile, in vectors; what they are made of is called `whole_l` and `whole_u`.
void in_vectors(Steps& steps, const Plan& plan, const std::string& loop, const std::string& whole) {
    steps.vectorize(loop, plan.lanes, whole + "_u", whole + "_l", Tail::exact).unroll(whole + "_u");
}

/// The sums of one tile over one block of a reduced loop, in registers; added to the others at `level` of `func`.
void partial_sums(const Task& task, const Plan& plan, const std::string& func, const std::string& level,
                  const std::vector<std::string>& kept) {
    const Core& core = task.host.cores.front();
    const std::string &v = core.dims[plan.vector_dim], &row = core.dims[*plan.row_dim], part = func + "_part";
    Steps sums = task.stage(part);
    vectors_in_memory(task, plan.vector_dim, sums, kept);
    std::vector<std::string> loops{v, row};
    std::vector<int> extents{plan.rows};
    for (const std::string& loop : kept) loops.push_back(loop), extents.push_back(1);
    sums.registers(loops, plan.lanes, plan.vectors, extents, {func, level});
}

/// The reduced loops, innermost first, as the vector operand has them: what lies beside each other there is packed at once. (Filters
/// as `F[k, c, r, s]`, 7x7x512 on Zen 4: 4.0 ms packed anew for each r and s, and 3.5.)
std::vector<std::string> as_in_memory(const Task& task, const Plan& plan) {
    const CoreStage& stage = task.host.cores.front().stages.front();
    std::vector<std::string> loops(stage.reduced.rbegin(), stage.reduced.rend());
    const std::string& v = stage.loops[plan.vector_dim];
    for (const Read& read : stage.reads) {
        if (std::none_of(read.at.begin(), read.at.end(), [&](const LinearPlace& at) { return at.moves_with(v); }))
            continue;
        const auto dim_of = [&](const std::string& loop) {
            const auto at = std::find_if(read.at.rbegin(), read.at.rend(),
                                         [&](const LinearPlace& place) { return place.moves_with(loop); });
            return read.at.rend() - at;
        };
        std::stable_sort(loops.begin(), loops.end(),
                         [&](const std::string& a, const std::string& b) { return dim_of(a) > dim_of(b); });
    }
    return loops;
}

/// The reduced loop that is taken in blocks: the last one that is none of a window, for windows are few points.
std::string split_loop(const Task& task) {
    const CoreStage& stage = task.host.cores.front().stages.front();
    const auto slides = [&](const std::string& loop) {
        return std::any_of(stage.reads.begin(), stage.reads.end(), [&](const Read& read) {
            return std::any_of(read.at.begin(), read.at.end(), [&](const LinearPlace& at) {
                return at.coefficients.size() > 1 && at.moves_with(loop);
            });
        });
    };
    const auto found = std::find_if_not(stage.reduced.rbegin(), stage.reduced.rend(), slides);
    return found == stage.reduced.rend() ? stage.reduced.back() : *found;
}

/// The points of a block: packed, a panel of them stays in L1; in place, their rows stay in L2. (3x3, us, by 128 and by 256:
/// channels first, which packs, 14x14x256 on Emerald Rapids 1595 and 1680; channels last, in place, there 1384 and 1364, and
/// 7x7x512 on Zen 4 2022 and 1950.)
int block_size(const Task& task, const Plan& plan) {
    if (plan.strip) return task.choose("strip_block", 256, {128, 256, 512});
    return task.choose("block", 128, {32, 64, 128, 256});
}

/// A reduction too long for its panel to stay near: blocks of one of its loops, added into the tiles of a whole strip of the
/// result. A strip is one tile wide and reads panels of its own, packed block by block, or (`plan.strip`) many tiles wide, and
/// reads the vector operand in place: the rows of a block then stand beside each other in memory and stay in L2.
/// (7x7x512 on Emerald Rapids, one thread, padding not counted: packed 0.64 of peak, where packing waits for the filter to come
/// from L3 at 30 GB/s; in place 0.73-0.78. 14x14x256: 0.80 and 0.84.)
void blocked_core(const Task& task, const Plan& plan, const Names& name, const std::string& func) {
    const Core& core = task.host.cores.front();
    const CoreStage& stage = core.stages.front();
    const std::string &v = stage.loops[plan.vector_dim], &row = stage.loops[*plan.row_dim];
    const std::string split = split_loop(task), outer = split + "_o", inner = split + "_i";
    std::vector<std::string> blocks(stage.reduced.rbegin(), stage.reduced.rend()), kept,
        nested = as_in_memory(task, plan);
    for (auto* loops : {&blocks, &nested}) std::replace(loops->begin(), loops->end(), split, outer);
    for (const std::string& loop : blocks) kept.push_back(loop + "_kept");
    const auto tile = [&](Steps& steps, const std::string& loop) {
        if (plan.strip) steps.split(loop, loop + "_o", loop + "_i", plan.width(), Tail::round_up);
        in_vectors(steps, plan, plan.strip ? loop + "_i" : loop, loop);
    };

    Steps start = task.stage(func), sum = task.stage(func, stage.stage);
    start.overcompute(row);
    start.compute_at(task.host.func, name(task.host.dims[plan.vector_dim], "b"));
    if (!plan.strip) start.overcompute(v).bound_extent(core.dims[plan.vector_dim], plan.width());
    tile(start, core.dims[plan.vector_dim]);
    sum.split(split, outer, inner, block_size(task, plan), Tail::guard).rfactor(blocks, func + "_part", kept);
    vectors_in_memory(task, plan.vector_dim, start, {});
    sum.split(row, row + "_o", row + "_i", plan.rows, Tail::guard);
    tile(sum, v);
    std::vector<std::string> around{row + "_o"}, order{v + "_l", v + "_u", row + "_i"};
    for (size_t d = core.dims.size(); d-- > 0;)
        if (static_cast<int>(d) != plan.vector_dim && static_cast<int>(d) != *plan.row_dim)
            around.push_back(stage.loops[d]);
    order.insert(order.end(), around.begin(), around.end());
    if (plan.strip) order.push_back(v + "_o");
    order.insert(order.end(), nested.begin(), nested.end());
    sum.reorder(order);
    for (const std::string& loop : around) sum.never_partition(loop);
    sum.never_partition(outer);
    partial_sums(task, plan, func, row + "_o", kept);
    if (!plan.strip) pack(task, plan, name, func, func, outer);
}

/// Sums may be so long that blocks are worth it: those of images of three colours never are.
bool has_blocks(const Task& task) {
    constexpr std::int64_t fewest = 128;
    const CoreStage& stage = task.host.cores.front().stages.front();
    const auto points = task.solution.indices[stage.equation].at(split_loop(task)).extent.constant();
    return !points || *points > fewest;
}

/// A convolution whose packed panel would not stay in the cache.
Condition::Term long_reduction(const Task& task, const Plan& plan) {
    const Formula bytes = panel_bytes(task, task.host.cores.front(), plan.width());
    return at_least(bytes, Formula(task.machine.l2_bytes / 4 + 1));
}

const Formula& vector_extent(const Task& task, const Plan& plan) { return task.extents()[plan.vector_dim]; }

/// The plan in strips of whole tiles, nearly equal, the last one shifted inwards.
Plan in_strips(const Task& task, Plan plan) {
    if (task.machine.vector_registers >= 32) plan.vectors = task.choose("strip_vectors", 2 * plan.vectors, {1, 2, 4});
    const Formula& extent = vector_extent(task, plan);
    const Formula strips = max(1, ceil_div(extent, task.choose("strip", 512, {256, 512})));
    plan.strip = max(1, ceil_div(extent, strips * plan.width())) * plan.width();
    return plan;
}

/// Strips can read in place: the operands lie along the vector loop, and there is room for one of them. For more threads than
/// one there are too few strips.
Condition reads_in_place(const Task& task, const Plan& plan) {
    Condition c = dense(task, plan);
    c.all.push_back(at_least(vector_extent(task, plan) - *plan.strip, 0));
    c.all.push_back({Kind::threads_at_most, {}, 0, 1});
    return c;
}

/// Both forms of a long reduction beside the host's `narrow` one, and their loops where they apply. The computations.
std::vector<std::string> long_variants(const Task& task, Steps& host, const Plan& plan,
                                       const std::optional<Narrow>& narrow) {
    const Core& core = task.host.cores.front();
    const std::string packed = core.func + "_blocked", direct = core.func + "_direct";
    const Names packed_names{"_blocked", true}, direct_names{"_direct", true};
    const Plan strips = in_strips(task, plan);
    const Condition::Term is_long = long_reduction(task, plan);
    const Condition in_place = reads_in_place(task, strips);
    Condition long_in_place = in_place;
    long_in_place.all.push_back(is_long);
    host.twin(packed, {{is_long}}).twin(direct, long_in_place);
    if (narrow) host.twin(narrow_name(task), narrow->when);
    if (narrow) narrow_variant(task, host, *narrow);
    host.specialize("blocked", {{is_long}}, [&](Steps& inside) {
        inside.specialize("direct", in_place, [&](Steps& s) { tile_loops(task, s, strips, direct_names); });
        tile_loops(task, inside, plan, packed_names);
    });
    blocked_core(task, plan, packed_names, packed);
    blocked_core(task, strips, direct_names, direct);
    for (const std::string& func : {packed, direct}) skip_padding(task, core, func, {plan.vector_dim, *plan.row_dim});
    return {packed, direct};
}

}  // namespace

void vectors_in_memory(const Task& task, int dim, Steps& start, const std::vector<std::string>& kept) {
    const std::vector<std::string>& dims = task.host.cores.front().dims;
    const int rank = static_cast<int>(dims.size());
    if (dim + 1 == rank) return;
    std::vector<std::string> storage = innermost_first(rank, dim, [&](int d) { return dims[d]; });
    storage.insert(storage.end(), kept.begin(), kept.end());
    start.reorder_storage(storage);
}

std::string blocked_variant(const Task& task, Steps& host, const Narrow& narrow,
                            const std::function<void(Steps&)>& more) {
    const std::string func = task.host.cores.front().func + narrow.names.suffix;
    host.twin(func, narrow.when).specialize(narrow.names.suffix.substr(1), narrow.when, [&](Steps& inside) {
        tile_loops(task, inside, narrow.plan, narrow.names);
        more(inside);
    });
    blocked_core(task, narrow.plan, narrow.names, func);
    return func;
}

void convolution(const Task& task, const Plan& plan) {
    Steps host = task.stage(task.host.func);
    const Core& core = task.host.cores.front();
    const bool one_sum = core.stages.size() == 1 && core.stages[0].stage == 1 && core.stages[0].reduced.size() > 1 &&
                         !reads_itself(task.kernel.equations[core.stages[0].equation]);
    const std::optional<Narrow> narrow = narrow_tile(task, plan);
    const std::vector<int> inner{plan.vector_dim, *plan.row_dim};
    std::vector<std::string> computations{core.func};
    if (narrow) computations.push_back(narrow_name(task));
    if (may_have_twin(task) && one_sum && has_blocks(task)) {
        for (const std::string& func : long_variants(task, host, plan, narrow)) computations.push_back(func);
    } else if (narrow) {
        host.twin(narrow_name(task), narrow->when);
        narrow_variant(task, host, *narrow);
    }
    tile_loops(task, host, plan, {});
    pad_once(task, plan, computations);
    if (narrow) skip_padding(task, core, narrow_name(task), inner);
    skip_padding(task, core, core.func, inner);
    cores_of(task, plan, {});
}

}  // namespace halogen::recipes
