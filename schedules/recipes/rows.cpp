// Reductions along the contiguous loop of what they read: a few vectors of partial results, added up at the end.

#include "schedules/recipes/recipes.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

/// The reduced loop along which the reads of a stage move by single elements in their last dim; "" without one.
std::string contiguous_loop(const CoreStage& stage) {
    for (const std::string& loop : stage.reduced) {
        bool moves = false, unit = true;
        for (const Read& read : stage.reads) {
            if (!read.moves_with(loop)) continue;
            const auto dim = read.unit_dim(loop);
            moves = true;
            unit = unit && dim && *dim == static_cast<int>(read.at.size()) - 1;
        }
        if (moves && unit) return loop;
    }
    return "";
}

Condition unit_reads(const Task& task, const CoreStage& stage, const std::string& loop) {
    Condition all;
    for (const Read& read : stage.reads) {
        if (!read.moves_with(loop) || !task.is_input(read.tensor)) continue;
        const Condition::Term term{Condition::Term::Kind::stride_is, read.tensor, static_cast<int>(read.at.size()) - 1,
                                   1};
        if (std::find(all.all.begin(), all.all.end(), term) == all.all.end()) all.all.push_back(term);
    }
    return all;
}

/// `partial` holds four vectors of running results; they are folded into the result by a tree over the lanes.
void partial_results(const Task& task, const Core& core, const CoreStage& stage, const std::string& loop) {
    const int lanes = task.lanes(), width = 4 * lanes;
    const std::string partial = core.func + "_part" + std::to_string(stage.stage), kept = loop + "_lane";
    Steps update = task.stage(core.func, stage.stage);
    update.split(loop, loop + "_o", loop + "_i", width, Tail::guard).rfactor({loop + "_i"}, partial, {kept});
    Steps start = task.stage(partial), steps = task.stage(partial, 1);
    if (task.host.dims.empty())
        start.compute_root();
    else
        start.compute_at(task.host.func, task.host.dims.back());
    start.split(kept, kept + "_u", kept + "_v", lanes, Tail::guard).vectorize(kept + "_v").unroll(kept + "_u");
    std::vector<std::string> outer{loop + "_o"};
    for (auto other = stage.reduced.rbegin(); other != stage.reduced.rend(); ++other)
        if (*other != loop) outer.push_back(*other);
    const auto vectors = [&](Steps& s) {
        std::vector<std::string> order{kept + "_v", kept + "_u"};
        order.insert(order.end(), outer.begin(), outer.end());
        s.split(kept, kept + "_u", kept + "_v", lanes, Tail::guard)
            .reorder(order)
            .vectorize(kept + "_v")
            .unroll(kept + "_u");
    };
    const Condition unit = unit_reads(task, stage, loop);
    if (unit.all.empty()) {
        vectors(steps);
    } else {
        steps.specialize(unit, vectors);
        std::vector<std::string> order{kept};
        order.insert(order.end(), outer.begin(), outer.end());
        steps.reorder(order);
    }
    update.atomic().vectorize(loop + "_i");
}

bool associative(const Task& task, const CoreStage& stage) {
    return task.kernel.equations[stage.equation].op != Op::assign;
}

}  // namespace

bool fits_rows(const Task& task) {
    bool found = false;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages) {
            if (!stage.plain) return false;
            found = found || (!contiguous_loop(stage).empty() && associative(task, stage));
        }
    return found;
}

void rows(const Task& task) {
    for (const Core& core : task.host.cores) {
        Steps start = task.stage(core.func);
        if (task.host.dims.empty())
            start.compute_root();
        else
            start.compute_at(task.host.func, task.host.dims.back());
        for (const CoreStage& stage : core.stages) {
            const std::string loop = contiguous_loop(stage);
            if (!loop.empty() && associative(task, stage)) partial_results(task, core, stage, loop);
        }
    }
    if (task.at_root && !task.host.dims.empty())
        task.stage(task.host.func).specialize(task.worth_threads(), [&](Steps& inside) {
            inside.parallel(task.host.dims[0]);
        });
}

}  // namespace halogen::recipes
