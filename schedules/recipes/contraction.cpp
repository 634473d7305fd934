// Products of matrices: one operand packed in panels, the other read in place.

#include "frontend/notation/parts.h"
#include "frontend/plan/value_funcs.h"
#include "schedules/recipes/tiles.h"

#include <algorithm>
#include <ranges>

namespace halogen::recipes {

using Kind = Condition::Term::Kind;

namespace {

/// A vector operand that slides along its vectors, as rows of channels-first images do, has no panels: a vector would lie in two
/// of them. Its rows are copied, edges and all, once for the block that reads them.
void copy_rows(const Task& task, const Plan& plan, const Names& name, const std::string& func, const std::string& at,
               const std::string& level, const VectorRead& read) {
    const std::string copy = copy_name(task, read.tensor, "_rows" + name.suffix);
    const auto loop_of = [&](int d) { return copy + "_d" + std::to_string(d); };
    const std::string loop = loop_of(read.dim);
    task.stage(func).copy_in(read.tensor, copy, {at, level});
    Steps steps = task.stage(copy);
    const std::vector<std::string> storage = innermost_first(read.rank, read.dim, loop_of);
    steps.reorder_storage(storage).reorder(storage);
    steps.vectorize(loop, plan.lanes, loop + "_o", loop + "_v", Tail::guard);
}

/// The operand of which dot products broadcast a group at a time: the groups of a tile's rows side by side.
void copy_dots(const Task& task, const Plan& plan, const Names& name, const std::string& func, const std::string& at,
               const std::string& level, const Access& read) {
    const CoreStage& stage = task.host.cores[0].stages[0];
    const std::string copy = copy_name(task, read.tensor, "_dots" + name.suffix);
    const auto loop_of = [&](int d) { return copy + "_d" + std::to_string(d); };
    const auto dim_of = [&](const std::string& index) {
        const auto at_index = [&](const Expr& place) { return place.as<IndexRef>()->name == index; };
        return static_cast<int>(std::find_if(read.at.begin(), read.at.end(), at_index) - read.at.begin());
    };
    const int row = dim_of(stage.loops[*plan.row_dim]), along = dim_of(plan.dots->loop);
    task.stage(func).copy_in_panels(read.tensor, copy, row, plan.rows, 0, {at, level});
    std::vector<std::string> order{copy + "_g", loop_of(row), loop_of(along)};
    for (int d = static_cast<int>(read.at.size()); d-- > 0;)
        if (d != row && d != along) order.push_back(loop_of(d));
    order.push_back(copy + "_panel");
    Steps steps = task.stage(copy);
    steps.bound_extent(loop_of(row), plan.rows).bound(copy + "_g", plan.dots->points);
    steps.reorder_storage(order).reorder(order).vectorize(copy + "_g").unroll(loop_of(row));
}

}  // namespace

bool is_read_by_data(const Task& task, const std::string& tensor) {
    bool found = false;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            each_read(task.kernel.equations[static_cast<std::size_t>(stage.equation)], [&](const Access& read) {
                found = found || (read.tensor == tensor && std::ranges::any_of(read.at, depends_on_data));
            });
    return found;
}

void pack(const Task& task, const Plan& plan, const Names& name, const std::string& func, const std::string& at,
          const std::string& level) {
    const int width = plan.width();
    const std::optional<Dots>& dots = plan.dots;
    if (dots) task.stage(func).group(dots->loop, dots->points);
    for (const VectorRead& read : vector_reads(task, task.host.dims[plan.vector_dim])) {
        if (is_read_by_data(task, read.tensor)) continue;
        if (read.slides) {
            copy_rows(task, plan, name, func, at, level, read);
            continue;
        }
        const std::string copy = copy_name(task, read.tensor, "_pack" + name.suffix);
        task.stage(func).copy_in_panels(read.tensor, copy, read.dim, width, dots ? 0 : plan.lanes, {at, level});
        if (!dots) continue;
        Steps steps = task.stage(copy);
        const auto loop_of = [&](int d) { return copy + "_d" + std::to_string(d); };
        const std::string loop = loop_of(read.dim);
        std::vector<std::string> storage = innermost_first(read.rank, read.dim, loop_of);
        storage.insert(storage.begin(), copy + "_g");
        storage.push_back(copy + "_panel");
        steps.bound_extent(loop, width).bound(copy + "_g", dots->points).reorder_storage(storage).reorder(storage);
        steps.vectorize(loop, plan.lanes, loop + "_u", loop + "_v", Tail::exact)
            .unroll(loop + "_u")
            .unroll(copy + "_g");
        const Access& other = dots->left->tensor == read.tensor ? *dots->right : *dots->left;
        copy_dots(task, plan, name, func, at, level, other);
    }
}

void cores_of(const Task& task, const Plan& plan, const Names& name, const std::string& twin) {
    const std::string& v = task.host.dims[plan.vector_dim];
    const bool window = plan.contraction && plan.window;
    for (const Core& core : task.host.cores) {
        const std::string& func = twin.empty() ? core.func : twin;
        registers(task, core, func, plan, window ? name(task.host.dims[*plan.row_dim], "t") : name(v, "t"));
        if (plan.contraction) pack(task, plan, name, func, task.host.func, name(v, "b"));
    }
}

std::optional<Narrow> narrow_tile(const Task& task, const Plan& plan) {
    const std::vector<Formula>& extents = task.extents();
    if (!may_have_twin(task) || (plan.vectors == 1 && !extents[plan.vector_dim].constant())) return std::nullopt;
    Narrow narrow{plan, {"_narrow"}, {}};
    Plan& tile = narrow.plan;
    tile.vectors = 1;
    // Many rows share what each step costs beside its sums: with 8, 3 channels to 8 filters take 1.2 times as long.
    const auto rows = extents[static_cast<std::size_t>(*plan.row_dim)].constant().value_or(1 << 20);
    tile.rows = static_cast<int>(
        std::min<std::int64_t>({2 * plan.rows, task.machine.vector_registers - 4, std::max<std::int64_t>(rows, 1)}));
    // Rows of one image are in one thread, which may compute some of them twice; then no address is clamped.
    tile.shifted_rows = plan.window;
    // The last tile costs what a whole one does: where it has one vector, narrow ones leave less unused, if there are rows enough for
    // taller tiles, and few columns. On Zen 4 they are times as fast for 48x48x48 1.4, 80 1.3, 144 1.1, 208 1.1, 20x272x256 0.85;
    // for AVX2 24x24x24 1.5, 40 1.2, 88 1.0, 200 0.94.
    const Formula& columns = extents[plan.vector_dim];
    const Formula last = remainder(columns - Formula(1), Formula(plan.width())) + Formula(1);
    const Formula tall = 2 * tile.rows + 1;
    const int most = task.machine.vector_registers > 16 ? 16 : 6;
    const Formula rows_enough = min(tall, tall * max(0, columns - Formula(plan.lanes)));
    narrow.when.all = {at_least(most * plan.lanes - 1, columns), at_least(plan.lanes, last),
                       at_least(extents[*plan.row_dim], plan.window ? max(tile.rows, rows_enough) : rows_enough)};
    return narrow;
}

std::string narrow_name(const Task& task) { return task.host.cores.front().func + "_narrow"; }

void narrow_variant(const Task& task, Steps& host, const Narrow& narrow) {
    host.specialize("narrow", narrow.when, [&](Steps& inside) { tile_loops(task, inside, narrow.plan, narrow.names); });
    cores_of(task, narrow.plan, narrow.names, narrow_name(task));
}

bool may_have_twin(const Task& task) { return task.host.is_one_core() && task.fused_dims == 0; }

namespace {

/// The sums of the host's only core begin with nothing, not with what an equation before them reads.
bool starts_empty(const Task& task) {
    for (const ValueFunc& f : value_funcs(task.kernel, task.solution))
        if (f.name == task.host.cores.front().func) return f.equations.front() < 0;
    return false;
}

}  // namespace

bool contraction(const Task& task, const Plan& plan) {
    Steps host = task.stage(task.host.func);
    const bool is_matrix = task.host.dims.size() == 2 && may_have_twin(task), empty = starts_empty(task);
    const bool may_turn = task.turns && is_matrix && empty;
    const auto turned = may_turn ? plan_along(task, 0) : std::nullopt;
    // Where elements of the result's first dim lie side by side, vectors go along it: the first factor is packed whichever way it lies,
    // and of the second single elements are read. (512x512x512 on Zen 4, of the four mixtures 2.6, 2.8, 2.6 and 2.4 ms; 2.4 so.)
    Condition when;
    if (turned) when.all = {{Kind::stride_below, task.host.func, 0, 1}, at_least(task.extents()[0], task.lanes())};
    const bool turns = turned && turned->contraction && !turned->window;
    const std::string twin = task.host.cores.front().func + "_turned";
    const Names name{"_turned"};
    const auto narrow = narrow_tile(task, plan);
    const auto few = few_rows(task, plan.vector_dim, is_matrix && task.turns);
    const auto columns = few_columns(task);
    // What is decided first has its twin last. Dots of few rows need no panels: of 8x256 times (8x256)^T 0.5 us, packed 3.1.
    if (narrow) host.twin(narrow_name(task), narrow->when);
    if (turns) host.twin(twin, when);
    if (columns) second_values(task, task.host.cores.front(), few_columns_name(task), "_columns", columns->when);
    for (const FewRows& way : std::views::reverse(few))
        second_values(task, task.host.cores.front(), few_rows_name(task, way), "_" + way.way, way.when);
    if (const auto along = channel_mix(task, plan))
        channel_variant(task, host, *along, few_channels(task, plan, *along));
    for (const FewRows& way : few) few_rows_variant(task, host, way);
    if (columns) few_columns_variant(task, host, *columns);
    if (turns) host.specialize("turned", when, [&](Steps& inside) { tile_loops(task, inside, *turned, name); });
    if (narrow) narrow_variant(task, host, *narrow);
    tile_loops(task, host, plan, {});
    if (turns) cores_of(task, *turned, name, twin);
    cores_of(task, plan, {});
    return empty || !is_matrix;
}

}  // namespace halogen::recipes
