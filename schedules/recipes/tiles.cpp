// Reductions whose result has a vector loop: register tiles of the result, all reduced loops inside, so that accumulators
// never leave the registers. Contractions, convolutions, pooling, stencils, sums over outer loops.

#include "schedules/recipes/tiles.h"
#include "frontend/plan/value_funcs.h"

#include <algorithm>

namespace halogen::recipes {

bool fits_tiles(const Task& task) {
    const int rank = static_cast<int>(task.host.dims.size());
    if (rank == 0 || rank <= task.fused_dims) return false;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            if (!stage.plain) return false;
    const auto plan = plan_along(task, rank - 1);
    if (!plan) return false;
    if (plan->contraction || plan->gathers) return task.host.cores.size() == 1;
    for (const VectorRead& read : vector_reads(task, task.host.dims[rank - 1]))
        if (!lies_side_by_side(task, read) && !may_be_turned(task, read.tensor)) return false;
    for (const Read& read : task.host.reads)
        if (read.moves_with(task.host.dims[rank - 1]) && !read.step_dim(task.host.dims[rank - 1], longest_step))
            return false;
    return true;
}

bool lies_side_by_side(const Task& task, const VectorRead& read) {
    const std::vector<Formula>& extents = task.solution.extents.at(read.tensor);
    return std::all_of(extents.begin() + read.dim + 1, extents.end(), is_short);
}

/// A convolution of few colours by filters that fill no more than half a vector: the plan with vectors along the pixels of a row, as
/// images in planes have them; nothing where there are more, or it is none. (512x512 on Zen 4: one filter of 5x5 1.6 ms, and 0.3 so;
/// four of 3x3x3 1.65, and 1.37. Of many channels, the image in planes costs more than whole vectors gain: 14x14x64 by 8 filters 21 us,
/// and 34; and half vectors of sums need fewer stores: eight filters of 3x3x3 0.45 ms, and 0.65.)
static std::optional<Plan> few_filters(const Task& task, const Plan& plan) {
    constexpr int most_colours = 4, many_terms = 64;
    const auto filters = task.extents().back().constant(), terms = reduced_points(task).constant();
    const int enough = terms && *terms < many_terms ? 4 : 2;
    if (!plan.contraction || !plan.window || !plan.row_dim || !filters || enough * *filters > task.lanes())
        return std::nullopt;
    auto pixels = plan_along(task, *plan.row_dim);
    if (!pixels || !pixels->contraction || pixels->window || !fits_planes(task, *pixels)) return std::nullopt;
    const auto colours = planes_in(task, *pixels);
    if (!colours || colours->constant().value_or(most_colours + 1) > most_colours) return std::nullopt;
    // Eight sums at once hide how long an addition takes; more share weights, and read from more rows. (7x7x3 by eight filters on Zen 4,
    // one vector of pixels and two: 640x960 14.3 ms and 16.2, 512x512 6.6 and 6.8; by four filters of 5x5 2.9 and 2.2.)
    constexpr int enough_sums = 8;
    pixels->vectors = task.choose("pixel_vectors", *filters < enough_sums ? 2 : 1, {1, 2, 3});
    pixels->rows = static_cast<int>(*filters);
    pixels->lanes = task.lanes();
    return pixels;
}

bool close_to_its_core(const Task& task) {
    if (task.host.cores.size() != 1 || task.fused_dims) return false;
    const Core& core = task.host.cores.front();
    if (core.stored == task.host.func) return true;
    if (!task.host.output) return false;
    int computations = 0, equations = 0;
    for (const ValueFunc& f : value_funcs(task.kernel, task.solution))
        computations += f.stored == core.stored && f.tensor == core.stored ? 1 : f.tensor == core.stored ? 2 : 0;
    bool reads = false;
    for (int e = 0; e < static_cast<int>(task.kernel.equations.size()); e++) {
        if (task.kernel.equations[e].left.tensor != task.host.tensor) continue;
        equations++;
        for (const Read& read : reads_of(task.kernel, task.solution, e)) reads = reads || read.tensor == core.stored;
    }
    return computations == 1 && equations == 1 && reads;
}

void second_values(const Task& task, const Core& core, const std::string& func, const std::string& suffix,
                   const Condition& when) {
    const std::string& host = task.host.func;
    const bool itself = core.stored == host;
    const std::string values = itself ? func : host + "_value" + suffix;
    task.stage(host).twin(values, when);
    if (!itself) task.stage(values).copy_in(core.stored, func);
}

bool tiles(const Task& task) {
    const Plan plan = *plan_along(task, static_cast<int>(task.host.dims.size()) - 1);
    if (const auto pixels = few_filters(task, plan)) {
        planes(task, *pixels);
    } else if (plan.contraction && plan.window) {
        convolution(task, plan);
    } else if (plan.contraction && fits_planes(task, plan)) {
        planes(task, plan);
    } else if (plan.contraction) {
        return contraction(task, plan);
    } else if (!plan.by_data && fits_windows(task)) {
        windows(task, plan);
    } else {
        Steps host = task.stage(task.host.func);
        tile_loops(task, host, plan, {});
        cores_of(task, plan, {});
        for (const Core& core : task.host.cores) unroll_windows(task, core, core.func);
    }
    return plan.contraction;
}

}  // namespace halogen::recipes
