// What must run in order: recurrences, scatters, updates of parts of a tensor.

#include "frontend/notation/parts.h"
#include "frontend/plan/filled.h"
#include "frontend/plan/order.h"
#include "frontend/solve/place.h"
#include "schedules/recipes/recipes.h"

#include <algorithm>
#include <set>

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

/// Rows of few elements, whose number is known, have no vectors: what one step writes and the next one reads goes a long way through
/// memory under a mask. (Three channels smoothed on Zen 4, a step: 14 ns, and 1.9 element by element.)
bool has_short_rows(const Task& task) { return is_short(task.extents().back()); }

void vectors_along(const Task& task, Steps& steps, const std::string& loop, Tail tail) {
    if (has_short_rows(task))
        steps.unroll(loop);
    else
        steps.vectorize(loop, task.lanes(), loop + "_o", loop + "_v", tail);
}
void vectors_along(const Task& task, Steps& steps, const std::string& loop) {
    vectors_along(task, steps, loop, task.vector_tail());
}

/// The last place of the equation's left side moves with the loop, element by element: j of `Y[i, j]` and of `Y[i, W + j]`.
bool runs_along(const Task& task, int equation, const std::string& loop) {
    const auto place =
        solved_formula(task.kernel.equations[static_cast<std::size_t>(equation)].left.at.back(), task.solution);
    const std::set<std::string> others =
        place ? (*place - Formula::symbol(loop)).symbols() : std::set<std::string>{loop};
    return !others.count(loop);
}

/// The points of a stage for each iteration of `loop`.
Formula points_but(const Task& task, const CoreStage& stage, const std::string& loop) {
    Formula points = 1;
    for (const auto& [name, range] : task.solution.indices[static_cast<std::size_t>(stage.equation)])
        if (name != loop) points = points * range.extent;
    return points;
}

/// A stage over a part of the tensor, `Y[i, j] += ... where i in 1:N, j in 1:N`: vectors along the last dim's loop, if it is free of any order,
/// what is reduced inside of it, and threads along the outermost loop if that is free too.
void part(const Task& task, const Core& core, const CoreStage& stage, bool threads) {
    const std::vector<std::string> loops = serial_loops(task.kernel, task.solution, stage.equation);
    const std::set<std::string> unordered = unordered_loops(task.kernel, task.solution, stage.equation);
    const auto& ranges = task.solution.indices[static_cast<std::size_t>(stage.equation)];
    const auto along = std::ranges::find_if(loops, [&](const std::string& loop) {
        return unordered.count(loop) && !is_short(ranges.at(loop).extent) && runs_along(task, stage.equation, loop);
    });
    if (along == loops.end()) return;
    Steps steps = task.stage(core.func, stage.stage);
    const bool apart = std::any_of(stage.reads.begin(), stage.reads.end(), [&](const Read& read) {
        return read.moves_with(*along) && !read.unit_dim(*along);
    });  // under a mask each of their elements would be loaded alone
    if (!has_short_rows(task)) {
        vectors_along(task, steps, *along, apart ? Tail::guard : task.vector_tail());
        std::vector<std::string> order{*along + "_v"};
        order.insert(order.end(), loops.rbegin(), std::make_reverse_iterator(std::next(along)));
        order.push_back(*along + "_o");
        const bool recurs =
            !recurrence_order(task.kernel, task.kernel.equations[static_cast<std::size_t>(stage.equation)]).empty();
        if (order.size() > 2 && !recurs) steps.reorder(order);  // Halide lets the loops of a recurrence lie as they are
    }
    const std::string& first = loops.front();
    if (!threads || along == loops.begin() || !unordered.count(first)) return;
    share(steps, {first, ranges.at(first).extent, points_but(task, stage, first)});
}

/// Whole rows of vectors, and threads along the first of `loops`, those of a host's dims.
void rows_of(const Task& task, Steps& steps, const std::vector<std::string>& loops, bool threads) {
    vectors_along(task, steps, loops.back());
    if (threads && loops.size() > 1) share(steps, {loops[0], task.extents()[0], task.product_without({0})});
}

/// Something is chosen by the number of the loop's iteration, of which there are few: written out, each knows what it is.
bool chooses_by(const Task& task, int equation, const std::string& loop) {
    if (!is_short(task.solution.indices[static_cast<std::size_t>(equation)].at(loop).extent)) return false;
    bool chooses = false;
    walk(task.kernel.equations[static_cast<std::size_t>(equation)].right, [&](const Expr& e) {
        const auto* call = e.as<Call>();
        if (call && call->function == Function::select)
            chooses = chooses || lowering::indices_in(call->arguments.front()).count(loop);
    });
    return chooses;
}

/// Vectors of the core's stages but its start along a free last loop, whole rows of them inside the loops that run in order; reads of
/// any stride are gathered, which still beats one element at a time.
void vectorize_updates(const Task& task, const Core& core, bool threads) {
    if (core.dims.empty()) return;
    for (const CoreStage& stage : core.stages) {
        const std::string& name = stage.loops.back();
        if (name.empty()) {
            part(task, core, stage, threads);
            continue;
        }
        Steps steps = task.stage(core.func, stage.stage);
        const bool short_rows = has_short_rows(task);
        const std::vector<std::string> serial = serial_loops(task.kernel, task.solution, stage.equation);
        std::vector<std::string> order{name};
        if (!short_rows) {
            steps.vectorize(name, task.lanes(), name + "_o", name + "_v", Tail::guard);
            order = {name + "_v", name + "_o"};
        }
        order.insert(order.end(), serial.rbegin(), serial.rend());
        steps.reorder(order);
        for (const std::string& loop : serial)
            if (chooses_by(task, stage.equation, loop)) steps.unroll(loop);
        // Of branches that ask for one number after the other Halide makes a switch, of two types at once if places are wide.
        const bool chosen = !predicates_of(task.kernel.equations[static_cast<std::size_t>(stage.equation)]).empty();
        if (short_rows && !chosen) steps.unroll(name);
    }
}

/// The loops of a stage that run in order.
std::vector<std::string> in_order(const Task& task, const CoreStage& stage) {
    std::vector<std::string> loops;
    for (const std::string& loop : indices_of(task.kernel.equations[stage.equation]))
        if (std::find(stage.loops.begin(), stage.loops.end(), loop) == stage.loops.end()) loops.push_back(loop);
    return loops;
}

/// Sums in few places that the data tells, of which many points meet in one: `H[X[n]] += 1`.
bool fits_tables(const Task& task) {
    if (!may_have_twin(task) || task.host.cores[0].stages.size() != 1) return false;
    const Core& core = task.host.cores[0];
    const CoreStage& stage = core.stages[0];
    const Equation& equation = task.kernel.equations[static_cast<std::size_t>(stage.equation)];
    if (equation.op != Op::add || reads_itself(equation) || !predicates_of(equation).empty() || core.dims.empty() ||
        serial_loops(task.kernel, task.solution, stage.equation).empty())
        return false;
    for (const std::string& loop : stage.loops)
        if (!loop.empty()) return false;
    constexpr std::int64_t most = 4096;  // bytes of a table: eight of them stay in the nearest cache
    std::int64_t bytes = bytes_of(compute_type(task.kernel.tensor(equation.left.tensor).type));
    for (const Formula& extent : task.solution.extents.at(equation.left.tensor))
        bytes = extent.constant() && *extent.constant() <= most ? bytes * *extent.constant() : most + 1;
    return bytes <= most;
}

/// Where there are many points, a table for each of so many neighbours, which need not wait for one another where they meet, and as
/// many for a second thread. (4 M bytes of a picture, of whose neighbours half are equal, on Zen 4: 2.14 ms by one table, 1.32 by
/// eight, 0.81 on two threads. All values alike often: 1.25 and 1.33. To clear and add up tables takes 0.4 us.)
void tables(const Task& task) {
    const Core& core = task.host.cores[0];
    const CoreStage& stage = core.stages[0];
    const std::string func = core.func + "_tables", partial = func + "_part";
    const int count = task.choose("tables", 8, {4, 8, 16});
    const auto& ranges = task.solution.indices[static_cast<std::size_t>(stage.equation)];
    std::vector<std::string> loops = serial_loops(task.kernel, task.solution, stage.equation);
    Formula points = 1;
    for (const std::string& loop : loops) points = points * ranges.at(loop).extent;
    task.stage(task.host.func).twin(func, {{at_least(points, 16384)}});
    Steps begin = task.stage(func), sums = task.stage(func, stage.stage);
    begin.compute_root();
    vectors_along(task, begin, core.dims.back());

    // Of one loop, steps of so many neighbours in two halves; of several, the outermost in halves and the innermost in such steps.
    const std::string last = loops.back(), table = last + "_u";
    Formula steps = ranges.at(loops.front()).extent;
    if (loops.size() == 1) steps = ceil_div(steps, count);
    loops.back() = last + "_o";
    sums.split(last, loops.back(), table, count, Tail::guard);
    const std::string first = loops.front(), half = first + "_t";
    loops.front() = first + "_c";
    sums.split(first, half, loops.front(), max(1, ceil_div(steps, 2)), Tail::guard);
    sums.rfactor({half, table}, partial, {half + "_kept", table + "_kept"});

    Steps start = task.stage(partial), counts = task.stage(partial, 1);
    start.compute_root();
    vectors_along(task, start, core.dims.back());
    std::vector<std::string> order{table + "_kept"};
    order.insert(order.end(), loops.rbegin(), loops.rend());
    order.push_back(half + "_kept");
    counts.reorder(order).unroll(table + "_kept");
    counts.parallel(half + "_kept", max(1, 2 - floor_div(points, 65536)), half + "_tasks", half + "_each");
    std::vector<std::string> joined{core.dims.rbegin(), core.dims.rend()};
    joined.insert(joined.end(), {table, half});
    sums.reorder(joined);
    vectors_along(task, sums, core.dims.back());
}

constexpr int rows_in_step = 8;

/// The only loop of a stage that must run in order: n of `Y[b, n] = Y[b, n - 1] + X[b, n]`; nothing where there are others, or none.
std::optional<std::string> recurrence(const Task& task, const CoreStage& stage) {
    const std::vector<std::string> loops = in_order(task, stage);
    if (loops.size() != 1 || unordered_loops(task.kernel, task.solution, stage.equation).count(loops[0]))
        return std::nullopt;
    return loops[0];
}

/// An element is made from the one before it by what `run_prefixes_by_vectors` joins vectors of.
class ChainOf {
public:
    ChainOf(const Equation& equation, const std::string& loop) : equation_(equation), loop_(loop) {}

    bool is_one() const { return is_one(equation_.right); }

private:
    bool is_one(const Expr& e) const {
        const auto* call = e.as<Call>();
        if (!call) return is_linear(e);
        if (call->function == Function::select)
            return std::ranges::all_of(call->arguments,
                                       [&](const Expr& part) { return !has_itself(part) || is_one(part); });
        return (call->function == Function::max || call->function == Function::min) &&
               std::ranges::any_of(call->arguments, [&](const Expr& part) { return is_itself(part); });
    }
    bool is_itself(const Expr& e) const {
        const auto* read = e.as<Access>();
        return read && read->tensor == equation_.left.tensor;
    }
    template<class Is>
    static bool any_node(const Expr& e, Is is) {
        bool any = false;
        walk(e, [&](const Expr& node) { any = any || is(node); });
        return any;
    }
    bool has_itself(const Expr& e) const {
        return any_node(e, [&](const Expr& node) { return is_itself(node); });
    }
    bool is_same_for_all(const Expr& e) const {
        return !any_node(e, [&](const Expr& node) {
            const auto* index = node.as<IndexRef>();
            return is_itself(node) || (index && index->name == loop_);
        });
    }
    bool is_linear(const Expr& e) const {
        if (is_itself(e) || !has_itself(e)) return true;
        if (const auto* unary = e.as<Unary>()) return unary->op == UnaryOp::negate && is_linear(*unary->value);
        const auto* binary = e.as<Binary>();
        if (!binary) return false;
        const Expr &left = *binary->left, &right = *binary->right;
        switch (binary->op) {
        case BinaryOp::add:
        case BinaryOp::sub: return is_linear(left) && is_linear(right);
        case BinaryOp::mul:
            return (is_same_for_all(left) && is_linear(right)) || (is_same_for_all(right) && is_linear(left));
        case BinaryOp::div: return is_same_for_all(right) && is_linear(left);
        default: return false;
        }
    }

    const Equation& equation_;
    const std::string& loop_;
};

/// Eight rows at once hide how long the arithmetic of each takes, where it is no chain that runs by vectors along the row. Rows of whole pages
/// lie in one set of the nearest cache, which holds four of what is read and four of what is written. (Quotients of 512x1024 f32 on
/// Zen 4: 0.91 ms by four rows, 1.86 by one.)
void rows_at_once(const Task& task, const Core& core, int dim) {
    constexpr int page = 4096;
    const int elements = page / bytes_of(compute_type(task.kernel.tensor(task.host.tensor).type));
    const Formula &rows = task.extents()[static_cast<std::size_t>(dim)], &row_length = task.extents().back();
    const Formula past_pages = remainder(row_length, elements);
    for (const CoreStage& stage : core.stages) {
        const auto serial = recurrence(task, stage);
        if (!serial || ChainOf(task.kernel.equations[static_cast<std::size_t>(stage.equation)], *serial).is_one())
            continue;
        const std::string &row = stage.loops[static_cast<std::size_t>(dim)], inner = row + "_i";
        Steps all = task.stage(core.func, stage.stage);
        const auto by = [&](int step) {
            return [&, step](Steps& steps) {
                steps.split(row, row + "_o", inner, step, Tail::guard).reorder({inner, *serial}).unroll(inner);
            };
        };
        all.specialize("rows", {{at_least(rows, rows_in_step), at_least(past_pages, 1)}}, by(rows_in_step));
        all.specialize("pages", {{at_least(rows, rows_in_step / 2), at_least(0, past_pages)}}, by(rows_in_step / 2));
    }
}

/// The rows of the host, which has `free` loops around them, know nothing of each other, and each runs in order by arithmetic that takes some
/// cycles; that of integers takes one.
bool fits_rows_at_once(const Task& task, int free) {
    const Host& host = task.host;
    if (!task.at_root || !host.is_one_core() || free == 0 || free + 1 != static_cast<int>(host.dims.size()) ||
        !is_float(task.kernel.tensor(host.tensor).type))
        return false;
    return std::ranges::any_of(host.cores[0].stages, [&](const CoreStage& stage) {
        return stage.loops.back().empty() && recurrence(task, stage);
    });
}

/// What the host's only core holds at first is never seen: its equations write each element once, and nothing is gained where that runs
/// through a cache. (100 rows of 64 elements and of 64 others side by side on Zen 4: 4.2 us by way of a cache, 1.0 so.)
bool starts_unseen(const Task& task) {
    const std::vector<lowering::Version> versions = lowering::order_equations(task.kernel, task.solution).versions;
    const auto own = std::ranges::find(versions, task.host.cores[0].func, &lowering::Version::name);
    return halogen::starts_unseen(task.kernel, task.solution, *own);
}

/// The equations may write the host itself: its elements are what they compute, and no other computation gives them.
bool may_be_in_place(const Task& task) { return task.at_root && may_hold_values(task); }

/// Some equation tells by data which rows it writes: `S[L[n], d] += X[n, d]`.
bool scatters_rows(const Task& task) {
    return std::ranges::any_of(task.host.cores[0].stages, [&](const CoreStage& stage) {
        const Equation& equation = task.kernel.equations[static_cast<std::size_t>(stage.equation)];
        return !std::ranges::all_of(equation.left.at, has_formula);
    });
}

/// Whole rows one after the other, each from those before it, which are in the cache; threads take strips of columns. What follows from
/// the row before has masks; a row that data tell may be met again at once, and what was stored under a mask is long on its way; rows that
/// lie anywhere cross lines less in vectors half as long. (`S[L[n], d] += X[n, d]`, 200,000 elements to 300 rows, on Zen 4, us, by way of
/// a cache and so: of 4 378 and 176, of 8 125 and 56, of 16 32 and 38, of 100 32 and 28, of 1000 60 and 31.)
void columns_in_place(const Task& task, int free) {
    const Core core = core_in_place(task);
    const bool scatters = scatters_rows(task);
    const int width = task.choose("strip", 64, {8, 16, 32, 64, 128, 256}) * task.lanes();
    const int lanes = scatters ? std::max(task.lanes() / 2, 4) : task.lanes();
    if (!starts_unseen(task)) {
        Steps start = task.stage(core.func);
        rows_of(task, start, core.dims, true);
    }
    for (const CoreStage& stage : core.stages) {
        Steps steps = task.stage(core.func, stage.stage);
        const std::string &loop = stage.loops.back(), strip = loop + "_s", inside = loop + "_i";
        const std::vector<std::string> serial = serial_loops(task.kernel, task.solution, stage.equation);
        steps.split(loop, strip, inside, width, Tail::guard);
        steps.vectorize(inside, lanes, loop + "_o", loop + "_v", scatters ? Tail::guard : task.vector_tail());
        std::vector<std::string> order{loop + "_v", loop + "_o"};
        order.insert(order.end(), serial.rbegin(), serial.rend());
        order.push_back(strip);
        steps.reorder(order).never_partition(strip);
        if (free == 0)
            share(steps, {strip, ceil_div(task.extents().back(), width), points_but(task, stage, loop) * width});
        else
            share(steps, {stage.loops[0], task.extents()[0], points_but(task, stage, stage.loops[0])});
    }
}

/// Each of the leading loops runs through all that is in order inside it, some rows at a time where that hides its arithmetic.
void rows_in_place(const Task& task, int free, bool rows_at_a_time) {
    const Core core = core_in_place(task);
    vectorize_updates(task, core, false);
    if (rows_at_a_time) rows_at_once(task, core, free - 1);
    for (const CoreStage& stage : core.stages) {
        Steps steps = task.stage(core.func, stage.stage);
        const std::string& first = stage.loops[0];
        share(steps, {first, task.extents()[0], points_but(task, stage, first)});
    }
}

/// Whatever runs in order, one stage after the other over the whole of the host.
void all_in_place(const Task& task) {
    const Core core = core_in_place(task);
    if (starts_unseen(task))
        vectorize_updates(task, core, true);
    else
        vectorize_last(task, core, true);
}

/// Some rows at a time; they are copied from the cache. (Cumulative sums along 1000 rows of 1000 f32, Zen 4: 0.86 ms one by one, 0.51.)
void rows_in_order(const Task& task, int free) {
    const Host& host = task.host;
    const Core& core = host.cores[0];
    const std::string &row = host.dims[static_cast<std::size_t>(free) - 1], block = row + "_block";
    Steps copy = task.stage(host.func);
    copy.split(row, block, row + "_row", rows_in_step, Tail::guard);
    vectors_along(task, copy, host.dims.back());
    task.stage(core.func).compute_at(host.func, block);
    vectorize_last(task, core);
    rows_at_once(task, core, free - 1);
    if (free > 1) return share_first_dim(task, copy);
    share(copy, {block, ceil_div(task.extents()[0], rows_in_step),
                 reduced_points(task) * task.product_without({0}) * rows_in_step});
}

}  // namespace

void vectorize_last(const Task& task, const Core& core, bool threads) {
    if (core.dims.empty()) return;
    Steps start = task.stage(core.func);
    rows_of(task, start, core.dims, threads);
    vectorize_updates(task, core, threads);
}

void share_first_dim(const Task& task, Steps& steps) {
    share(steps, {task.host.dims[0], task.extents()[0], reduced_points(task) * task.product_without({0})});
}

bool fits_serial_rows(const Task& task, const Host& reader, bool chained) {
    const Host& host = task.host;
    if (task.fused_dims != 1 || (!reader.cores.empty() && !chained) || reader.dims.size() < 2 || host.output)
        return false;
    if (!host.is_one_core() || host.dims.size() < 2) return false;
    const auto is_there = [&](const Read& read) { return task.is_input(read.tensor); };
    if (!chained && !std::ranges::all_of(host.reads, is_there)) return false;
    bool along_rows = false;
    for (const CoreStage& stage : host.cores[0].stages) {
        if (stage.loops[0].empty()) return false;
        along_rows = along_rows || stage.loops.back().empty();
    }
    return along_rows;
}

bool fits_rows_in_order(const Task& task) {
    const int free = free_prefix(task.host);
    return free == task.fused_dims && fits_rows_at_once(task, free);
}

void serial_rows(const Task& task, const Host& reader) {
    const Core& core = task.host.cores[0];
    const std::string& last = core.dims.back();
    task.stage(core.func)
        .compute_at(reader.func, block_loop(reader))
        .vectorize(last, task.lanes(), last + "_o", last + "_v", task.vector_tail());
    rows_at_once(task, core, 0);
}

void serial(const Task& task) {
    const int free = free_prefix(task.host);
    if (task.scans) return rows_in_order(task, free);
    if (fits_columns(task, free) && !has_short_rows(task))
        return may_be_in_place(task) && (starts_unseen(task) || scatters_rows(task)) ? columns_in_place(task, free)
                                                                                     : serial_columns(task, free);
    const bool in_place = may_be_in_place(task), at_once = may_have_twin(task) && fits_rows_at_once(task, free);
    if (in_place && free > 0 && starts_unseen(task)) return rows_in_place(task, free, at_once);
    if (at_once) return rows_in_order(task, free);
    if (in_place && free == 0 && !fits_tables(task)) return all_in_place(task);
    const bool threads = task.at_root && free == 0;
    for (const Core& core : task.host.cores) {
        if (free > 0 && free >= task.fused_dims) {
            task.stage(core.func).compute_at(task.host.func, task.host.dims[free - 1]);
        } else {
            task.stage(core.func).compute_root();
        }
        vectorize_last(task, core, threads);
    }
    if (threads && fits_tables(task)) tables(task);
    if (free < static_cast<int>(task.host.dims.size())) {  // the host copies whole rows
        Steps copy = task.stage(task.host.func);
        rows_of(task, copy, task.host.dims, threads);
    }
    if (!task.at_root || free == 0) return;
    Steps steps = task.stage(task.host.func);
    share_first_dim(task, steps);
}

}  // namespace halogen::recipes
