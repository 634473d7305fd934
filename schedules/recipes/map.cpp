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

int Task::choose(const std::string& name, int standard, std::vector<std::int64_t> domain) const {
    const std::string full = host.func + "_" + name;
    for (const Knob& knob : history.header.knobs)
        if (knob.name == full) return static_cast<int>(knob.value);
    if (std::find(domain.begin(), domain.end(), standard) == domain.end())
        domain.insert(std::upper_bound(domain.begin(), domain.end(), standard), standard);
    const auto other = chosen.find(full);
    const bool admitted =
        other != chosen.end() && std::find(domain.begin(), domain.end(), other->second) != domain.end();
    const std::int64_t value = admitted ? other->second : standard;
    history.header.knobs.push_back({full, value, std::move(domain)});
    return static_cast<int>(value);
}

Formula iterations_of_a_task(const Formula& points) {
    constexpr std::int64_t worth_a_task = 1 << 15;
    return max(Formula(1), floor_div(Formula(worth_a_task), max(points, Formula(1))));
}

void chunked_threads(const Task& task, Steps& steps, std::vector<std::string> outer, const Formula& points) {
    if (!task.at_root || outer.empty()) return;
    for (; outer.size() > 1; outer.erase(outer.begin())) {
        const std::string fused = outer[0] + "_" + outer[1];
        steps.fuse(outer[0], outer[1], fused);
        outer[1] = fused;
    }
    steps.split(outer[0], "tasks", "chunk", iterations_of_a_task(points), Tail::guard).parallel("tasks");
}

Condition apart_from_inputs(const Task& task) {
    Condition apart;
    if (!task.host.output) return apart;
    const Tensor& output = task.kernel.tensor(task.host.tensor);
    for (const Tensor* input : task.kernel.inputs()) {
        if (input->type != output.type || input->rank != output.rank) continue;
        bool read = false, elsewhere = false;
        for (const Read& r : task.host.reads) {
            if (r.tensor != input->name) continue;
            read = true;
            for (size_t d = 0; d < r.at.size(); d++) elsewhere = elsewhere || !r.at[d].is_index(task.host.dims[d]);
        }
        if (read && !elsewhere) apart.all.push_back({Kind::apart, input->name, 0, 1, {}, {}, task.host.func});
    }
    return apart;
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
        if (!moved) return std::nullopt;
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

/// The first of the fused loops runs in blocks of rows: a level for the storage of intermediates; with threads,
/// one block is one task.
void row_blocks(const Task& task, Steps& steps, bool parallel) {
    const std::string& loop = task.host.dims[0];
    Formula points = 1;
    const std::vector<Formula>& extents = task.solution.extents.at(task.host.tensor);
    for (size_t d = 1; d < extents.size(); d++) points = points * extents[d];
    const Formula chunk = parallel ? iterations_of_a_task(points)
                                   : Formula(task.scans ? 8 : task.choose("block_rows", 64, {16, 64, 256}));
    steps.split(loop, block_loop(task.host), loop, chunk, Tail::guard);
    if (parallel) steps.parallel(block_loop(task.host));
}

/// How the vector loop of a map is cut: so many vectors at a time, and what happens at its end.
struct Cut {
    int vectors = 1;  // 0: one element after the other
    Tail tail = Tail::guard;
};

void vectors_along(const Task& task, Steps& steps, int dim, const Cut& cut, bool parallel) {
    const std::string& loop = task.host.dims[dim];
    const int lanes = task.lanes();
    std::vector<std::string> order{loop}, outer = around(task, {dim});
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order);
    if (task.fused_dims && task.at_root) row_blocks(task, steps, parallel);
    if (cut.vectors > 0) {
        steps.split(loop, loop + "_o", loop + "_i", cut.vectors * lanes, cut.tail);
        if (cut.vectors > 1) {
            steps.split(loop + "_i", loop + "_u", loop + "_v", lanes, Tail::exact);
            steps.vectorize(loop + "_v").unroll(loop + "_u");
        } else {
            steps.vectorize(loop + "_i");
        }
    }
    if (!parallel || task.fused_dims) return;
    if (outer.empty())
        chunked_threads(task, steps, {cut.vectors > 0 ? loop + "_o" : loop}, Formula(std::max(1, cut.vectors * lanes)));
    else
        chunked_threads(task, steps, outer, task.solution.extents.at(task.host.tensor)[dim]);
}

/// Buffers disagree: small square tiles, so that each cache line met is used whole while it is near.
void scalar_tiles(const Task& task, Steps& steps, bool parallel) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (task.fused_dims && task.at_root) row_blocks(task, steps, parallel);
    if (last - task.fused_dims < 1) return;
    const int first = task.fused_dims;
    const std::string a = task.host.dims[first], b = task.host.dims[last];
    const int side = task.choose("side", 8, {4, 8, 16, 32});
    steps.split(a, a + "_o", a + "_t", side, Tail::guard).split(b, b + "_o", b + "_t", side, Tail::guard);
    std::vector<std::string> order{b + "_t", a + "_t", b + "_o"};
    std::vector<std::string> outer = around(task, {first, last});
    outer.push_back(a + "_o");
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order);
    if (parallel && !task.fused_dims)
        chunked_threads(task, steps, {a + "_o"}, task.solution.extents.at(task.host.tensor)[last] * Formula(side));
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

Condition operator&&(Condition a, const Condition& b) {
    a.all.insert(a.all.end(), b.all.begin(), b.all.end());
    return a;
}

/// Some vectors at a time, one, or one element: as many as there are. The last ones move inwards, where some elements are
/// computed again; where an input is the output itself, they would be computed from results. (u8, ns per element of rows of
/// 255 on avx2: 0.05, and 0.29 with a guard per lane; of rows of 3: 0.6 and 38.)
void cut_by_extent(const Task& task, Steps& steps, const Condition& unit, int dim, const Condition& beside) {
    const int lanes = task.lanes();
    const Formula& extent = task.solution.extents.at(task.host.tensor)[dim];
    const auto cut = [&](const Cut& c, bool parallel) {
        return [&task, c, dim, parallel](Steps& s) { vectors_along(task, s, dim, c, parallel); };
    };
    const auto many = [&](int vectors) {
        return Condition{{{Kind::at_least, {}, 0, 1, extent, Formula(vectors * lanes)}}} && beside;
    };
    const Condition apart = apart_from_inputs(task), worth = task.worth_threads();
    const int most = task.choose("vectors", 2, {2, 4, 8});
    if (task.at_root) steps.specialize(unit && apart && many(most) && worth, cut({most, Tail::shift_inwards}, true));
    steps.specialize(unit && apart && many(most), cut({most, Tail::shift_inwards}, false));
    steps.specialize(unit && apart && many(1), cut({1, Tail::shift_inwards}, false));
    if (!apart.all.empty()) steps.specialize(unit && many(1), cut({1, Tail::guard}, false));
    if (task.at_root) steps.specialize(unit && worth, cut({0}, true));
    if (unit.all.empty())
        cut({0}, false)(steps);
    else
        steps.specialize(unit, cut({0}, false));
}

/// Vectors along dim `dim` where `unit` holds; `beside` holds always, and stands with conditions on the extent.
void dense(const Task& task, Steps& steps, const Condition& unit, int dim, const Condition& beside = {}) {
    if (task.vector_tail() == Tail::predicate) {  // a masked tail is as fast as one that moves inwards
        const Cut cut{task.choose("masked_vectors", 1, {1, 2, 4}), Tail::predicate};
        with_and_without_threads(task, steps, unit, [&](Steps& s, bool p) { vectors_along(task, s, dim, cut, p); });
    } else
        cut_by_extent(task, steps, unit, dim, beside);
}

}  // namespace

std::string block_loop(const Host& host) { return host.dims[0] + "_block"; }

void map(const Task& task) {
    Steps steps = task.stage(task.host.func);
    const int rank = static_cast<int>(task.host.dims.size());
    if (rank == 0 || rank <= task.fused_dims) return;
    // A lone inequality would change the conditions of twins that ask one of the same size, and Halide would not know them again.
    const Condition beside = task.worth_threads(0);
    std::vector<StraightWay> straight;
    const auto add = [&](int dim) {
        const auto unit = unit_along(task, dim);
        if (unit)
            straight.push_back({dim, *unit, [&task, &beside, dim](Steps& s) { dense(task, s, {}, dim, beside); }});
        return unit;
    };
    const auto last = add(rank - 1);
    if (last && last->all.empty()) return dense(task, steps, {}, rank - 1);
    if (rank > 1 && task.fused_dims == 0) add(0);
    if (!turned_map(task, straight))
        for (const StraightWay& way : straight)
            if (!way.unit.all.empty()) dense(task, steps, way.unit, way.dim);
    with_and_without_threads(task, steps, {}, [&](Steps& s, bool p) { scalar_tiles(task, s, p); });
}

}  // namespace halogen::recipes
