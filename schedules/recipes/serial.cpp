// What must run in order: recurrences, scatters, updates of parts of a tensor.

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

/// Vectors along a free last loop; reads of any stride are gathered, which still beats one element at a time.
void vectorize_last(const Task& task, const Core& core) {
    if (core.dims.empty()) return;
    const std::string& loop = core.dims.back();
    task.stage(core.func)
        .split(loop, loop + "_o", loop + "_v", task.lanes(), task.vector_tail())
        .vectorize(loop + "_v");
    for (const CoreStage& stage : core.stages) {
        const std::string& name = stage.loops.back();
        if (name.empty()) continue;
        Steps steps = task.stage(core.func, stage.stage);
        steps.split(name, name + "_o", name + "_v", task.lanes(), Tail::guard);
        steps.reorder({name + "_v", name + "_o"}).vectorize(name + "_v");
    }
}

}  // namespace

void serial(const Task& task) {
    const int free = free_prefix(task.host);
    for (const Core& core : task.host.cores) {
        if (free > 0 && free >= task.fused_dims) {
            task.stage(core.func).compute_at(task.host.func, task.host.dims[free - 1]);
        } else {
            task.stage(core.func).compute_root();
        }
        vectorize_last(task, core);
    }
    Steps steps = task.stage(task.host.func);
    if (task.at_root && free > 0)
        steps.specialize(task.worth_threads(), [&](Steps& inside) { inside.parallel(task.host.dims[0]); });
}

}  // namespace halogen::recipes
