// Reductions whose result has a vector loop: register tiles of the result, all reduced loops inside, so that accumulators
// never leave the registers. Contractions, convolutions, pooling, stencils, sums over outer loops.

#include "schedules/recipes/tiles.h"

namespace halogen::recipes {

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
        if (read.moves_with(task.host.dims[rank - 1]) && !read.step_dim(task.host.dims[rank - 1], longest_step))
            return false;
    return true;
}

bool tiles(const Task& task) {
    const Plan plan = *plan_along(task, static_cast<int>(task.host.dims.size()) - 1);
    if (plan.contraction && plan.window) {
        convolution(task, plan);
    } else if (plan.contraction && fits_planes(task, plan)) {
        planes(task, plan);
    } else if (plan.contraction) {
        contraction(task, plan);
    } else if (fits_windows(task)) {
        windows(task, plan);
    } else {
        Steps host = task.stage(task.host.func);
        tile_loops(task, host, plan, {});
        cores_of(task, plan, {});
    }
    return plan.contraction;
}

}  // namespace halogen::recipes
