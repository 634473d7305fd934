#include "schedules/recipe.h"

#include "schedules/recipes/recipes.h"
#include "schedules/replay.h"

#include <algorithm>

namespace halogen {

namespace {

/// Elements of a host times the reduced points behind each.
Formula work_of(const Solution& solution, const Host& host) {
    Formula work = 1;
    for (const Formula& extent : solution.extents.at(host.tensor)) work = work * extent;
    Formula most = 1;
    for (const Core& core : host.cores)
        for (const CoreStage& stage : core.stages) {
            Formula points = 1;
            for (const std::string& loop : stage.reduced)
                points = points * solution.indices[stage.equation].at(loop).extent;
            if (points.terms().size() >= most.terms().size() && !(points == Formula(1))) most = points;
        }
    return work * most;
}

bool in_order(const Host& host) {
    return std::any_of(host.cores.begin(), host.cores.end(), [](const Core& core) {
        return std::any_of(core.stages.begin(), core.stages.end(), [](const CoreStage& stage) { return !stage.plain; });
    });
}

void schedule(const recipes::Task& task) {
    if (task.host.cores.empty())
        recipes::map(task);
    else if (in_order(task.host))
        recipes::serial(task);
    else if (recipes::fits_rows(task))
        recipes::rows(task);
    else if (recipes::fits_tiles(task))
        recipes::tiles(task);
    else
        recipes::serial(task);
}

/// Rows of intermediates have an extent known at run time alone and come from the heap: once for a block of rows.
void hoist_rows(const Structure& structure, const std::vector<const Host*>& inside, History& history) {
    const Host& last = structure.hosts.back();
    const auto has_rows = [&](const Host& host) { return static_cast<int>(host.dims.size()) > structure.fused_dims; };
    if (!last.cores.empty() || !has_rows(last)) return;
    for (const Host* host : inside)
        if (has_rows(*host)) Steps(history.steps, host->func).hoist_storage(last.func, recipes::block_loop(last));
}

}  // namespace

std::string to_string(EquationClass c) {
    static const char* const names[] = {"map",           "reduction", "contraction",    "convolution", "stencil",
                                        "layout change", "scan",      "gather/scatter", "other"};
    return names[static_cast<int>(c)];
}

History recipe(const Kernel& kernel, const Solution& solution, const Machine& machine, const KnobValues& chosen) {
    History history;
    const Structure structure = structure_of(kernel, solution);
    const Host& last = structure.hosts.back();
    const auto task_of = [&](const Host& host, bool inside) {
        const Formula work = work_of(solution, host);
        return recipes::Task{kernel, solution, machine, host, structure.fused_dims, !inside, work, history, chosen};
    };
    recipes::Task end = task_of(last, false);
    std::vector<const Host*> near;    // computed beside strips of the last one's rows
    std::vector<const Host*> in_row;  // computed inside the last one's fused loops
    std::vector<const Host*> scans;   // computed for blocks of the last one's rows
    for (const Host& host : structure.hosts) {
        if (&host == &last) break;
        if (structure.fused_dims == 0 && recipes::fits_strips(end, host)) near.push_back(&host);
        const bool beside = !near.empty() && near.back() == &host, inside = !host.output && structure.fused_dims > 0;
        const recipes::Task own = task_of(host, inside || beside);
        if (inside && in_order(host) && recipes::fits_serial_rows(own, last)) {
            scans.push_back(&host);
            continue;
        }
        if (inside) {
            in_row.push_back(&host);
            Steps(history.steps, host.func).compute_at(last.func, last.dims[structure.fused_dims - 1]);
        } else if (!host.output && !beside)
            Steps(history.steps, host.func).compute_root();
        schedule(own);
    }
    end.strips = !near.empty();
    end.scans = !scans.empty();
    schedule(end);
    for (const Host* host : scans) recipes::serial_rows(task_of(*host, true), last);
    for (const Host* host : near) Steps(history.steps, host->func).compute_at(last.func, recipes::strip_loop(last));
    hoist_rows(structure, in_row, history);
    return history;
}

Result<History> recipe_with(const Kernel& kernel, const Solution& solution, const Machine& machine,
                            const KnobValues& chosen) {
    return guarded([&] {
        History history = recipe(kernel, solution, machine, chosen);
        for (const auto& [name, value] : chosen) find_knob(history, name, value);
        return history;
    });
}

}  // namespace halogen
