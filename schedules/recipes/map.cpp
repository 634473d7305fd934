// Elementwise stages: every element from its own reads.

#include "schedules/recipes/recipes.h"

#include <algorithm>

namespace halogen::recipes {

using Kind = Condition::Term::Kind;

int Task::lanes() const {
    int bytes = bytes_of(compute_type(kernel.tensor(host.tensor).type));
    for (const Core& core : host.cores)
        for (const CoreStage& stage : core.stages)
            bytes = std::max(bytes,
                             bytes_of(compute_type(kernel.tensor(kernel.equations[stage.equation].left.tensor).type)));
    return machine.lanes(bytes);
}

Condition Task::worth_threads(std::int64_t points) const {
    return {{{Kind::at_least, {}, 0, 1, work, Formula(points)}}};
}

namespace {

void add_unit(Condition& all, const std::string& tensor, int dim) {
    const Condition::Term term{Kind::stride_is, tensor, dim, 1};
    if (std::find(all.all.begin(), all.all.end(), term) == all.all.end()) all.all.push_back(term);
}

/// What makes `loop` (dim `dim` of the host) unit-stride in every caller's buffer that moves with it; nothing where a read
/// can never be.
std::optional<Condition> unit_along(const Task& task, int dim) {
    const std::string& loop = task.host.dims[dim];
    Condition all;
    if (task.host.output) add_unit(all, task.host.func, dim);
    for (const Read& read : task.host.reads) {
        if (!read.moves_with(loop) || !task.is_input(read.tensor)) continue;
        const auto moved = read.unit_dim(loop);
        const int rank = static_cast<int>(read.at.size());
        if (!moved || *moved != (dim == 0 && task.host.dims.size() > 1 ? 0 : rank - 1)) return std::nullopt;
        add_unit(all, read.tensor, *moved);
    }
    return all;
}

/// Loops around `inner`, innermost first, without the fused ones.
std::vector<std::string> around(const Task& task, const std::vector<int>& inner) {
    std::vector<std::string> loops;
    for (int d = static_cast<int>(task.host.dims.size()); d-- > task.fused_dims;)
        if (std::find(inner.begin(), inner.end(), d) == inner.end()) loops.push_back(task.host.dims[d]);
    return loops;
}

/// Threads over all of `outer` (innermost first) where there is enough to do.
void threads(const Task& task, Steps& steps, std::vector<std::string> outer, const std::string& label) {
    if (!task.at_root || outer.empty()) return;
    while (outer.size() > 1) {
        const std::string fused = label + std::to_string(outer.size());
        steps.fuse(outer[0], outer[1], fused);
        outer.erase(outer.begin());
        outer[0] = fused;
    }
    steps.parallel(outer[0]);
}

void vectors_along(const Task& task, Steps& steps, int dim, bool parallel) {
    const std::string& loop = task.host.dims[dim];
    std::vector<std::string> outer = around(task, {dim});
    if (task.fused_dims && task.at_root) {
        if (parallel) steps.parallel(task.host.dims[0]);
        parallel = false;
    }
    std::vector<std::string> order{loop};
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order);
    if (outer.empty() && parallel) {
        steps.split(loop, loop + "_chunk", loop + "_in", 64 * task.lanes(), Tail::guard);
        steps.split(loop + "_in", loop + "_o", loop + "_v", task.lanes(), task.vector_tail()).vectorize(loop + "_v");
        outer = {loop + "_chunk"};
    } else {
        steps.split(loop, loop + "_o", loop + "_v", task.lanes(), task.vector_tail()).vectorize(loop + "_v");
    }
    if (parallel) threads(task, steps, outer, "threads");
}

/// Buffers disagree: small square tiles, so that each cache line met is used whole while it is near.
void scalar_tiles(const Task& task, Steps& steps, bool parallel) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (last - task.fused_dims < 1) {
        if (task.fused_dims && task.at_root && parallel) steps.parallel(task.host.dims[0]);
        return;
    }
    const int first = task.fused_dims;
    const std::string a = task.host.dims[first], b = task.host.dims[last];
    steps.split(a, a + "_o", a + "_t", 8, Tail::guard).split(b, b + "_o", b + "_t", 8, Tail::guard);
    std::vector<std::string> order{b + "_t", a + "_t", b + "_o"};
    std::vector<std::string> outer = around(task, {first, last});
    outer.push_back(a + "_o");
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order);
    if (parallel && !task.fused_dims) threads(task, steps, {a + "_o"}, "tiles");
    if (parallel && task.fused_dims && task.at_root) steps.parallel(task.host.dims[0]);
}

/// Twice: with threads where there is enough to do, without elsewhere.
void with_and_without_threads(const Task& task, Steps& steps, const Condition& when,
                              const std::function<void(Steps&, bool)>& body) {
    if (task.at_root) {
        Condition big = when;
        const Condition worth = task.worth_threads();
        big.all.insert(big.all.end(), worth.all.begin(), worth.all.end());
        steps.specialize(big, [&](Steps& inside) { body(inside, true); });
    }
    if (when.all.empty())
        body(steps, false);
    else
        steps.specialize(when, [&](Steps& inside) { body(inside, false); });
}

}  // namespace

void map(const Task& task) {
    Steps steps = task.stage(task.host.func);
    const int rank = static_cast<int>(task.host.dims.size());
    if (rank == 0 || rank <= task.fused_dims) return;
    const auto last = unit_along(task, rank - 1);
    if (last)
        with_and_without_threads(task, steps, *last, [&](Steps& s, bool p) { vectors_along(task, s, rank - 1, p); });
    if (last && last->all.empty()) return;
    if (rank > 1 && task.fused_dims == 0) {
        const auto first = unit_along(task, 0);
        if (first && !first->all.empty())
            with_and_without_threads(task, steps, *first, [&](Steps& s, bool p) { vectors_along(task, s, 0, p); });
    }
    with_and_without_threads(task, steps, {}, [&](Steps& s, bool p) { scalar_tiles(task, s, p); });
}

}  // namespace halogen::recipes
