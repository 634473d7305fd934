// What must run in order: recurrences, scatters, updates of parts of a tensor.

#include "frontend/plan/order.h"
#include "schedules/recipes/recipes.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

/// Leading dims of the host that are free loops in every stage of every core.
int free_prefix(const Host& host) {
    int free = static_cast<int>(host.dims.size());
    for (const Core& core : host.cores)
        for (const CoreStage& stage : core.stages) {
            const auto fixed = std::find(stage.loops.begin(), stage.loops.end(), std::string());
            free = std::min(free, static_cast<int>(fixed - stage.loops.begin()));
        }
    return free;
}

/// Extents of loops, outermost first.
using Extents = std::vector<std::pair<std::string, Formula>>;

/// Threads over the outermost of several loops.
void share_outermost(Steps& steps, const Extents& loops, const Formula& behind) {
    if (loops.size() < 2) return;
    Formula points = behind;
    for (std::size_t d = 1; d < loops.size(); d++) points = points * loops[d].second;
    share(steps, {loops[0].first, loops[0].second, points});
}

Extents dims_of(const Task& task, const std::vector<std::string>& loops) {
    Extents dims;
    const std::vector<Formula>& extents = task.solution.extents.at(task.host.tensor);
    for (std::size_t d = 0; d < loops.size(); d++) dims.emplace_back(loops[d], extents[d]);
    return dims;
}

/// A stage whose points do not meet: vectors along its last loop and, where it stands alone (`at_root`), threads.
void free_stage(const Task& task, const Core& core, const CoreStage& stage, bool at_root) {
    const Equation& equation = task.kernel.equations[stage.equation];
    Extents loops;
    for (const Expr& at : equation.left.at) {
        const std::string& index = at.as<IndexRef>()->name;
        loops.emplace_back(index, task.solution.indices[stage.equation].at(index).extent);
    }
    const std::string last = loops.back().first;
    Steps steps = task.stage(core.func, stage.stage);
    steps.split(last, last + "_o", last + "_v", task.lanes(), Tail::guard);
    std::vector<std::string> order{last + "_v", last + "_o"};
    for (std::size_t d = loops.size() - 1; d-- > 0;) order.push_back(loops[d].first);
    steps.reorder(order).vectorize(last + "_v");
    if (at_root) share_outermost(steps, loops, 1);
}

/// Vectors along a free last loop, whole rows of them inside the loops that run in order; reads of any stride are gathered,
/// which still beats one element at a time.
void vectorize_last(const Task& task, const Core& core, bool at_root) {
    if (core.dims.empty()) return;
    const std::string& loop = core.dims.back();
    Steps start = task.stage(core.func);
    start.split(loop, loop + "_o", loop + "_v", task.lanes(), task.vector_tail()).vectorize(loop + "_v");
    if (at_root) share_outermost(start, dims_of(task, core.dims), 1);
    for (const CoreStage& stage : core.stages) {
        if (writes_apart(task.kernel, stage.equation)) {
            free_stage(task, core, stage, at_root);
            continue;
        }
        const std::string& name = stage.loops.back();
        if (name.empty()) continue;
        Steps steps = task.stage(core.func, stage.stage);
        steps.split(name, name + "_o", name + "_v", task.lanes(), Tail::guard);
        std::vector<std::string> order{name + "_v", name + "_o"};
        const std::vector<std::string> serial = serial_loops(task.kernel, task.solution, stage.equation);
        order.insert(order.end(), serial.rbegin(), serial.rend());
        steps.reorder(order).vectorize(name + "_v");
    }
}

/// The loops of a stage that run in order.
std::vector<std::string> in_order(const Task& task, const CoreStage& stage) {
    std::vector<std::string> loops;
    for (const std::string& loop : indices_of(task.kernel.equations[stage.equation]))
        if (std::find(stage.loops.begin(), stage.loops.end(), loop) == stage.loops.end()) loops.push_back(loop);
    return loops;
}

}  // namespace

bool fits_serial_rows(const Task& task, const Host& reader) {
    const Host& host = task.host;
    if (task.fused_dims != 1 || !reader.cores.empty() || reader.dims.size() < 2 || host.output) return false;
    if (host.cores.size() != 1 || host.cores[0].stored != host.func || host.dims.size() < 2) return false;
    for (const Read& read : host.reads)
        if (!task.is_input(read.tensor)) return false;
    bool along_rows = false;
    for (const CoreStage& stage : host.cores[0].stages) {
        if (stage.loops[0].empty()) return false;
        along_rows = along_rows || stage.loops.back().empty();
    }
    return along_rows;
}

void serial_rows(const Task& task, const Host& reader) {
    const Core& core = task.host.cores[0];
    const std::string& last = core.dims.back();
    task.stage(core.func)
        .compute_at(reader.func, block_loop(reader))
        .split(last, last + "_o", last + "_v", task.lanes(), task.vector_tail())
        .vectorize(last + "_v");
    // Eight chains of additions hide the way of each sum through memory; one row alone stays in a register. 512x512 f32,
    // Emerald Rapids: 221 us by one row, 151 by eight.
    const Condition eight{
        {{Condition::Term::Kind::at_least, {}, 0, 1, task.solution.extents.at(task.host.tensor)[0], 8}}};
    for (const CoreStage& stage : core.stages) {
        const std::vector<std::string> serial = in_order(task, stage);
        if (serial.size() != 1) continue;
        const std::string &row = stage.loops[0], inner = row + "_i";
        task.stage(core.func, stage.stage).specialize(eight, [&](Steps& steps) {
            steps.split(row, row + "_o", inner, 8, Tail::guard).reorder({inner, serial[0]}).unroll(inner);
        });
    }
}

void serial(const Task& task) {
    const int free = free_prefix(task.host);
    const bool inside = free > 0 && free >= task.fused_dims;
    for (const Core& core : task.host.cores) {
        if (inside)
            task.stage(core.func).compute_at(task.host.func, task.host.dims[free - 1]);
        else
            task.stage(core.func).compute_root();
        vectorize_last(task, core, task.at_root && !inside);
    }
    Steps steps = task.stage(task.host.func);
    if (task.host.output && free < static_cast<int>(task.host.dims.size())) {
        const std::string& last = task.host.dims.back();
        steps.split(last, last + "_o", last + "_v", task.lanes(), task.vector_tail()).vectorize(last + "_v");
    }
    if (!task.at_root) return;
    if (!inside) return share_outermost(steps, dims_of(task, task.host.dims), 1);
    const Extents all = dims_of(task, task.host.dims);
    Formula points = reduced_points(task);
    for (std::size_t d = 1; d < all.size(); d++) points = points * all[d].second;
    share(steps, {all[0].first, all[0].second, points});
}

}  // namespace halogen::recipes
