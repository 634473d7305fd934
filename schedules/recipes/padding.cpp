// Padded operands: filled in once where loops over windows read them, left out where they add nothing.

#include "frontend/notation/parts.h"
#include "frontend/plan/skippable.h"
#include "frontend/plan/value_funcs.h"
#include "schedules/recipes/tiles.h"

#include <algorithm>
#include <set>

namespace halogen::recipes {

using Kind = Condition::Term::Kind;

bool read_by_host_alone(const Task& task, const std::string& tensor) {
    std::set<int> own;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages) own.insert(stage.equation);
    for (int e = 0; e < static_cast<int>(task.kernel.equations.size()); e++)
        for (const Read& read : reads_of(task.kernel, task.solution, e))
            if (read.tensor == tensor && !own.count(e)) return false;
    return true;
}

bool read_by_core(const Task& task, const std::string& tensor) {
    const auto reads = [&](const CoreStage& stage) {
        return std::any_of(stage.reads.begin(), stage.reads.end(), [&](const Read& r) { return r.tensor == tensor; });
    };
    return std::any_of(task.host.cores.begin(), task.host.cores.end(),
                       [&](const Core& core) { return std::any_of(core.stages.begin(), core.stages.end(), reads); });
}

std::vector<std::string> innermost_first(int rank, int first, const std::function<std::string(int)>& name) {
    std::vector<std::string> names{name(first)};
    for (int d = rank; d-- > 0;)
        if (d != first) names.push_back(name(d));
    return names;
}

std::string copy_with_edges(const Task& task, const Tensor& tensor, const std::vector<std::string>& readers) {
    if (read_by_host_alone(task, tensor.name) && tensor.boundary.mode != Boundary::Mode::none)
        return padded_name(task.kernel, tensor.name);
    const std::string copy = copy_name(task, tensor.name, "_rows");
    for (const std::string& reader : readers) task.stage(reader).copy_in(tensor.name, copy);
    return copy;
}

/// All of a dim is read, by each equation.
static bool is_read_whole(const Task& task, const Tensor& tensor, int dim) {
    const Formula& extent = task.solution.extents.at(tensor.name)[static_cast<std::size_t>(dim)];
    bool whole = true;
    for (std::size_t e = 0; e < task.kernel.equations.size(); e++)
        each_read(task.kernel.equations[e], [&](const Access& read) {
            if (read.tensor != tensor.name) return;
            const auto* index = read.at[static_cast<std::size_t>(dim)].as<IndexRef>();
            whole = whole && index && task.solution.indices[e].at(index->name).covers(extent);
        });
    return whole;
}

/// A copy holds what is read of the tensor, which may be shorter than a vector though the tensor is not: none may begin before it, unless
/// what stands there is asked for in each lane.
static Tail tail_of_copy(const Task& task, const Tensor& tensor, int dim) {
    return is_padded(tensor, dim) || is_read_whole(task, tensor, dim) ? Tail::shift_inwards : task.vector_tail();
}

void pad_once(const Task& task, const Plan& plan, const std::vector<std::string>& readers) {
    if (!plan.window) return;
    std::string level;
    for (int d = 0; d < static_cast<int>(task.host.dims.size()); d++)
        if (d != plan.vector_dim && d != *plan.row_dim &&
            std::find(plan.windowed.begin(), plan.windowed.end(), d) == plan.windowed.end())
            level = task.host.dims[d];
    for (const Tensor* tensor : task.kernel.inputs()) {
        if (tensor->boundary.mode == Boundary::Mode::none || !read_by_core(task, tensor->name)) continue;
        const std::string padded = copy_with_edges(task, *tensor, readers),
                          loop = padded + "_d" + std::to_string(tensor->rank - 1);
        Steps steps = task.stage(padded);
        if (level.empty())
            steps.compute_root();
        else
            steps.compute_at(task.host.func, level);
        const Formula& extent = task.solution.extents.at(tensor->name).back();
        int lanes = task.lanes();  // no more than the channels, if a number says how many there are: 8 of each group
        while (lanes > 4 && extent.constant().value_or(lanes) < lanes) lanes /= 2;
        const Condition vectors{{{Kind::stride_is, tensor->name, tensor->rank - 1, 1}, at_least(extent, lanes)}};
        steps.specialize(vectors, [&](Steps& s) {
            s.vectorize(loop, lanes, loop + "_o", loop + "_v", tail_of_copy(task, *tensor, tensor->rank - 1));
            s.never_partition(loop + "_o");
            for (int d = 0; d < tensor->rank - 2; d++) s.never_partition(padded + "_d" + std::to_string(d));
        });
        // Few channels: the long loop inside, so that its edges are met once.
        if (tensor->rank > 1) steps.reorder({padded + "_d" + std::to_string(tensor->rank - 2), loop});
    }
}

void copy_rows(const Task& task, const Tensor& tensor, const std::string& copy, int dim, const std::string& level) {
    const auto loop_of = [&](int d) { return copy + "_d" + std::to_string(d); };
    const std::string loop = loop_of(dim);
    Steps steps = task.stage(copy);
    if (level.empty())
        steps.compute_root();
    else
        steps.compute_at(task.host.func, level);
    if (dim != tensor.rank - 1) {
        const std::vector<std::string> storage = innermost_first(tensor.rank, dim, loop_of);
        steps.reorder_storage(storage).reorder(storage);
    }
    // What is read of a row lies side by side, held back from its ends: a vector of it is one load under a mask.
    using Mode = Boundary::Mode;
    const Mode mode = tensor.boundary.mode;
    const bool pixels = tensor.dims && (*tensor.dims)[static_cast<std::size_t>(dim)].pixel.defined();
    const bool beside = !pixels && mode != Mode::reflect && mode != Mode::symmetric && mode != Mode::wrap;
    if (!level.empty() && beside && bytes_of(tensor.type) >= 4) {
        steps.vectorize(loop, task.lanes(), loop + "_o", loop + "_v", Tail::round_up);
        // With nothing but a constant beyond the ends, a load under a mask is all there is to a vector, wherever it lies; three loops in
        // place of one cost short rows more.
        if (!repeats(mode)) steps.never_partition(loop + "_o").never_partition(loop + "_v");
        return;
    }
    // The first vector and the last one ask in each lane where it stands.
    const int lanes = std::min(task.lanes(), 16);
    const Condition vectors{
        {{Kind::stride_is, tensor.name, dim, 1}, at_least(task.solution.extents.at(tensor.name)[dim], lanes)}};
    steps.specialize(vectors, [&](Steps& inside) {
        inside.vectorize(loop, lanes, loop + "_o", loop + "_v", tail_of_copy(task, tensor, dim));
    });
}

namespace {

/// Nothing is added to any reduction of the core where it reads `tensor` outside.
bool adds_nothing_outside(const Task& task, const Core& core, const Tensor& tensor) {
    return std::ranges::all_of(core.stages, [&](const CoreStage& stage) {
        const Equation& equation = task.kernel.equations[stage.equation];
        return !reads(equation, tensor) || (!stage.reduced.empty() && adds_nothing_outside(equation, tensor));
    });
}

}  // namespace

void skip_padding(const Task& task, const Core& core, const std::string& func, const std::vector<int>& inner) {
    for (const Tensor* tensor : task.kernel.inputs()) {
        if (tensor->boundary.mode == Boundary::Mode::none || !adds_nothing_outside(task, core, *tensor)) continue;
        for (int d = 0; d < tensor->rank; d++) {
            if (!is_padded(*tensor, d)) continue;
            const bool outside = std::all_of(task.host.reads.begin(), task.host.reads.end(), [&](const Read& read) {
                return read.tensor != tensor->name || std::none_of(inner.begin(), inner.end(), [&](int i) {
                           return read.at[d].moves_with(task.host.dims[i]);
                       });
            });
            if (outside) task.stage(func).skip_outside(tensor->name, d);
        }
    }
}

}  // namespace halogen::recipes
