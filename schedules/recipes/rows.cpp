// Reductions that use each element once or share a vector of them: sums and extremes over axes, matrix times vector.
// Vectors run along whichever loop is contiguous: the reduced one, as partial results, or one of the result.

#include "frontend/notation/parts.h"
#include "schedules/recipes/recipes.h"
#include "schedules/recipes/row_loops.h"
#include "schedules/recipes/tiles.h"

#include <algorithm>
#include <set>

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// Rows of a product up to which its matrix is read once, in place, rather than packed: 8x4096 times 4096x1024 f32 takes
/// 1.0 ms on Zen 4 (packed 2.7), one row 0.31 (2.4); 16 rows 2.7 (3.1), of 1024x4096 2.0 (3.1), of 256x256 0.022 (0.026), of 64x64 1.3 us
/// (1.45), 3 of 100x100 1.1 (2.9). With the 16 registers of AVX2 it takes 12 rows of 512x512 93 us (86), 16 of 4096x1024 3.2 ms (2.5), 8
/// of 64x64 1.0 us (1.25).
int most_few_rows(const Task& task) { return task.machine.vector_registers / 2; }
/// Where both operands lie along the reduced loop, packing turns the matrix: 8x4096 times (4096x4096)^T 7.8 ms, packed 33.
constexpr int most_few_dots = 24;
/// Columns up to which a matrix of rows is read once, along the rows: of a tile of vectors most lanes would stay empty. (1024x1024 times 3
/// columns f32 on Zen 4: 0.64 ms in panels of 16, 0.11 so; 1000x1000 times one 0.28 and 0.11; 64x64 times 8 1.4 us and 2.1.)
constexpr int most_columns = 4;

/// The order the host's loops would have the other way round, and when: where what is read is stored that way.
std::optional<std::pair<RowPlan, Condition>> turned(const Task& task, const RowPlan& plan) {
    if (!task.turns || !may_have_twin(task)) return std::nullopt;
    auto other = row_plan(task, !plan.last);
    if (!other || other->dim == plan.dim) return std::nullopt;
    Condition when;
    each_reduction(task, [&](const Core&, const CoreStage& stage) {
        const Read* read = principal(task, stage);
        const int rank = static_cast<int>(read->at.size());
        if (task.is_input(read->tensor) && rank > 1)
            when.all.push_back({Kind::stride_below, read->tensor, 0, rank - 1});
        return true;
    });
    if (when.all.size() != 1) return std::nullopt;
    other->suffix = "_turned";
    return std::pair{*other, when};
}

/// Whether what moves with `loop` moves by single elements, along its last dim if it is to be that; `when` says that they lie side by side in
/// inputs.
bool lie_along(const Task& task, const std::vector<Read>& reads, const std::string& loop, bool in_last_dim,
               Condition& when, const CoreStage* stage = nullptr) {
    for (const Read& read : reads) {
        if (!read.moves_with(loop)) continue;
        const auto dim = read.unit_dim(loop);
        if (!dim) return false;
        const LinearPlace& place = read.at[static_cast<std::size_t>(*dim)];
        if (!place.is_plain() && (!stage || window_far_apart(*stage, place) != loop)) return false;
        if (in_last_dim && *dim + 1 != static_cast<int>(read.at.size())) return false;
        const Condition::Term unit{Kind::stride_is, read.tensor, *dim, 1};
        if (task.is_input(read.tensor) && std::ranges::find(when.all, unit) == when.all.end()) when.all.push_back(unit);
    }
    return true;
}

/// When the vectors of a plan are whole: the strides that callers' tensors then have. Nothing where that is not asked: of what is not read
/// from callers, and of loops before a few elements, `P[n, 2]`, which are whole loads sorted in registers.
std::optional<Condition> whole_when(const Task& task, const RowPlan& plan) {
    Condition when;
    const bool known = each_reduction(task, [&](const Core&, const CoreStage& stage) {
        return lie_along(task, stage.reads, vector_loop(task, stage, plan.last)->loop, plan.last, when, &stage);
    });
    return known && !when.all.empty() ? std::optional(when) : std::nullopt;
}

/// What ends the names of loops whose vectors are whole.
constexpr const char* whole_vectors = "_vectors";

/// How long rows are of which vectors are worth it. Under masks few elements are as one vector; the greatest and least of floats have to be
/// joined, lane by lane, as keys. (Sums of 10,000 rows on Zen 4, us, one by one and under masks: of 4 14 and 13, of 10 21 and 13; the
/// greatest of 4 20 and 33, of 8 30 and 33, of 15 53 and 34.)
int fewest_points(const Task& task, const RowPlan& plan) {
    if (!plan.masked) return task.lanes();
    return some_keeps_order(task) ? std::max(task.lanes() / 2, fewest_lanes) : fewest_lanes;
}

/// When the vectors of a plan are worth it, where single elements are the other way: partial results where rows are as long as a vector,
/// gathered ones too (500 rows of 500, every second element, 40 us, one by one 101); strips where they are whole. Empty: always.
Condition worth_it(const Task& task, const RowPlan& plan) {
    const auto whole = may_have_twin(task) && task.at_root ? whole_when(task, plan) : std::nullopt;
    if (!whole || plan.dim >= 0) return whole.value_or(Condition());
    Condition when;
    if (!plan.whole.empty()) return when;
    const int fewest = fewest_points(task, plan);
    for (const Formula& length : row_lengths(task, plan))
        if (!length.constant()) when.all.push_back(at_least(length, fewest));
    return when;
}

struct Way {
    RowPlan plan;
    Condition when;
};

/// Rows that may be long, one at a time where they are.
std::optional<Way> by_long_rows(const Task& task, const RowPlan& plan) {
    if (!plan.several) return std::nullopt;
    Way way{plan, {}};
    for (const Formula& length : row_lengths(task, plan)) {
        if (length.constant()) return std::nullopt;
        way.when.all.push_back(at_least(length, Formula(long_row)));
    }
    way.plan.rows = 1;
    way.plan.vectors = 4;
    way.plan.suffix = "_long";
    return way;
}

/// How rows run of which vectors would stay empty, or strips be gathered: an element after the other, two rows beside each other. (20,000 rows of
/// 3 f32 on Zen 4, us, with vectors that stay empty, and by one row, two, and four, which LLVM gathers: the largest 83, 63, 35 and 50,
/// times a vector 64, 27, 30 and 70.)
RowPlan by_elements(const Task& task, const RowPlan& plan) {
    RowPlan single = plan;
    single.single = true;
    single.suffix = "_single";
    if (plan.dim < 0 && !task.host.dims.empty() && !is_short(task.extents().back())) single.rows = 2;
    return single;
}

Formula rows_of(const Task& task, const FewRows& few) {
    Formula rows = 1;
    for (const int d : few.rows) rows = rows * task.extents()[d];
    return rows;
}

}  // namespace

Formula reduced_points(const Task& task) {
    Formula most = 1;
    each_reduction(task, [&](const Core&, const CoreStage& stage) {
        Formula points = 1;
        for (const std::string& loop : stage.reduced)
            points = points * task.solution.indices[stage.equation].at(loop).extent;
        most = max(most, points);
        return true;
    });
    return most;
}

/// No read moves both with what the host reduces and with its own elements: what it reduces over is a table that all of them share. (The
/// nearest of 10 points to each of 6400 on Zen 4, us: 32 by partial results along the table, 6.9 in vectors along the result; of 1000 to
/// each of 640 81 and 62; sums of 10 exponentials for each of 1000 15 and 3.1, of 1000 for each of three 1.2 and 3.0.)
static bool reads_tables(const Task& task) {
    std::set<std::string> reduced;
    each_reduction(task, [&](const Core&, const CoreStage& stage) {
        reduced.insert(stage.reduced.begin(), stage.reduced.end());
        return true;
    });
    const auto moves_among = [](const Read& read, const auto& loops) {
        return std::ranges::any_of(loops, [&](const std::string& loop) { return read.moves_with(loop); });
    };
    const std::vector<Read>& reads = task.host.reads;
    return std::ranges::any_of(reads, [&](const Read& read) { return moves_among(read, task.host.dims); }) &&
           std::ranges::none_of(reads, [&](const Read& read) {
               return moves_among(read, reduced) && moves_among(read, task.host.dims);
           });
}

/// The vectors of a stage run along a loop that it reduces.
static bool has_partial_results(const Task& task, const CoreStage& stage) {
    const auto along = vector_loop(task, stage, true);
    return along && along->dim < 0;
}

bool fits_rows(const Task& task) {
    if (reads_tables(task) && fits_tiles(task)) return false;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages) {
            if (!stage.plain || is_product(task, stage) || reads_itself(task.kernel.equations[stage.equation]))
                return false;
            // Vectors of partial results lie within a window, or have nothing to do with it.
            if (!has_partial_results(task, stage) && std::any_of(stage.reads.begin(), stage.reads.end(), slides))
                return false;
        }
    return row_plan(task, true).has_value();
}

namespace {

/// The dims of the host whose rows read one matrix, which moves with dim `dim`.
std::vector<int> rows_of_matrix(const Task& task, int dim) {
    const std::string& loop = task.host.dims[dim];
    std::vector<int> rows;
    for (int d = 0; d < static_cast<int>(task.host.dims.size()); d++) {
        // A matrix that is read whole for each row; what the sums start from is read once in any case.
        const bool shared = each_reduction(task, [&](const Core&, const CoreStage& stage) {
            return std::none_of(stage.reads.begin(), stage.reads.end(), [&](const Read& read) {
                return read.moves_with(loop) && read.moves_with(task.host.dims[d]);
            });
        });
        if (d != dim && shared) rows.push_back(d);
    }
    return rows;
}

/// Sums of some rows in strips of two kilobytes stay in the nearest cache, and the matrix is read by pieces as long; of one or two rows twice
/// as long. (2 rows times 4096x1000 f32 on Zen 4: 570 us in strips of two, 434 of four.)
Formula few_strip(const Task& task, const FewRows& few) {
    const int strip = 2048 / task.machine.vector_bytes * task.lanes();
    const Formula one_or_two = min(1, floor_div(2, max(1, rows_of(task, few))));
    const Formula long_enough = min(1, floor_div(task.extents()[few.dim], 4 * strip));
    return strip * (1 + one_or_two * long_enough);
}

/// So many rows at most in vectors along `dim`; `in_last_dim`: of all that is read.
std::optional<FewRows> few_strips(const Task& task, const std::string& way, int dim, bool in_last_dim, int most) {
    FewRows few{way, dim, rows_of_matrix(task, dim), {}};
    if (!lie_along(task, task.host.reads, task.host.dims[dim], in_last_dim, few.when)) return std::nullopt;
    few.when.all.push_back(at_least(most, rows_of(task, few)));
    few.when.all.push_back(at_least(task.extents()[dim], task.lanes()));
    few.strip = few_strip(task, few);
    return few;
}

/// What more than a way asks for its rows have where the points that a strip adds up at once lie side by side: those have addresses that
/// are known apart, any others are computed one by one. (Rows times a matrix on Emerald Rapids, us, by any stride and so:
/// 16x4096x1024 1864 and 1521, 16x512x512 98 and 67, 8x512x512 42 and 33, 4x64x64 .56 and .41, 1x4096x1024 637 and 629.)
Condition rows_lie_along(const Task& task, const FewRows& few) {
    Condition when = few.when;
    const bool known = each_reduction(task, [&](const Core&, const CoreStage& stage) {
        std::vector<Read> rows;
        std::ranges::remove_copy_if(stage.reads, std::back_inserter(rows),
                                    [&](const Read& read) { return read.moves_with(task.host.dims[few.dim]); });
        return lie_along(task, rows, stage.reduced.back(), true, when);
    });
    if (!known) return {};
    when.all.erase(when.all.begin(), when.all.begin() + static_cast<std::ptrdiff_t>(few.when.all.size()));
    return when;
}

/// The rows up to which each strip is as long as the nearest cache holds of one. Of more, strips are shorter, and more is added up each time.
/// (Rows times 4096x1024 f32 on Zen 4, ms, with long ones and short: 16 2.7 and 1.63, 8 1.13 and 0.98, 6 0.55 and 0.69; 16 times 1024x4096
/// 2.7 and 1.67.)
constexpr int most_rows_of_long_strips = 8;

/// Likewise more rows than that, by shorter strips.
std::optional<FewRows> several_strips(const Task& task, int dim) {
    auto several = few_strips(task, "several", dim, true, most_few_rows(task));
    several->strip = 1024 / task.machine.vector_bytes * task.lanes();
    several->deep = 16;
    several->when = several->when && rows_lie_along(task, *several);
    return several;
}

/// Likewise in vectors of partial results.
std::optional<FewRows> few_dots(const Task& task, const std::string& way, int dim, bool in_last_dim) {
    FewRows few{way, dim, rows_of_matrix(task, dim), {}, true};
    const bool lies =
        dim + 1 == static_cast<int>(task.host.dims.size()) && !few.rows.empty() &&
        each_reduction(task, [&](const Core&, const CoreStage& stage) {
            const auto along = vector_loop(task, stage, true);
            return along && along->dim < 0 && lie_along(task, task.host.reads, along->loop, in_last_dim, few.when);
        });
    if (!lies) return std::nullopt;
    few.when.all.push_back(at_least(most_few_dots, rows_of(task, few)));
    few.when.all.push_back(at_least(reduced_points(task), 4 * task.lanes()));
    return few;
}

}  // namespace

// (f32 on Zen 4, us, in panels and so: of a second factor that lies column by column 1x1000x1000 470 and 49, 16x512x512 318 and 109, 3x100x100
// 6.3 and 1.5; of a first one 4096x1000x1 5000 and 500, 512x512x5 74 and 32, x8 74 and 47, x16 74 and 110.)
std::vector<FewRows> few_rows(const Task& task, int dim, bool any_order) {
    std::vector<FewRows> ways;
    const auto also = [&](std::optional<FewRows> way) {
        if (way) ways.push_back(*std::move(way));
    };
    if (!close_to_its_core(task)) return ways;
    const int most = most_few_rows(task), most_long = any_order ? std::min(most, most_rows_of_long_strips) : most;
    also(few_strips(task, "few", dim, true, most_long));
    if (ways.empty()) {
        also(few_dots(task, "few", dim, true));
    } else if (any_order) {
        if (most > most_long) also(several_strips(task, dim));
        also(few_dots(task, "few_dots", dim, false));
        if (dim > 0) also(few_strips(task, "few_turned", 0, false, task.lanes() / 2));
    }
    return ways;
}

std::optional<FewRows> few_elements(const Task& task) {
    const auto partial = [&](const Core&, const CoreStage& stage) { return has_partial_results(task, stage); };
    if (!task.at_root || !close_to_its_core(task) || !reads_tables(task) || !each_reduction(task, partial))
        return std::nullopt;
    FewRows few{"few", static_cast<int>(task.host.dims.size()) - 1, {}, {}, true};
    few.when.all = {at_least(task.lanes() / 2, task.extents().back()),
                    at_least(reduced_points(task), 4 * task.lanes())};
    return few;
}

std::string few_rows_name(const Task& task, const FewRows& few) { return task.host.cores[0].func + "_" + few.way; }

void few_rows_variant(const Task& task, Steps& host, const FewRows& few) {
    const Core& core = task.host.cores[0];
    RowPlan plan;
    plan.inside = few.rows;
    plan.suffix = "_" + few.way;
    if (few.along_reduction) {
        plan.rows = 4;
        host.specialize(few.way, few.when, [&](Steps& steps) { host_rows(task, steps, plan); });
        core_of_rows(task, core, few_rows_name(task, few), plan);
        return;
    }
    plan.dim = few.dim;
    plan.deep = few.deep;
    host.specialize(few.way, few.when, [&](Steps& inside) {
        strips(task, inside, plan, few.strip);
        const Condition unit = rows_lie_along(task, few);
        if (!unit.all.empty()) inside.specialize(unit, [](Steps&) {});  // the same loops, whose addresses are known
    });
    core_of_strips(task, core, few_rows_name(task, few), plan);
}

std::optional<FewColumns> few_columns(const Task& task) {
    const std::vector<CoreStage>& stages = task.host.cores[0].stages;
    if (!close_to_its_core(task) || task.host.dims.size() < 2 || stages.size() != 1 || stages[0].reduced.size() != 1)
        return std::nullopt;
    const std::string& column = task.host.dims.back();
    const CoreStage& stage = stages[0];
    FewColumns few{stage.reduced.front(), {}, {}};
    std::vector<Read> rows;
    for (const Read& read : stage.reads) {
        const bool moves = read.moves_with(column), both = moves && read.moves_with(few.along);
        if (!both && !moves) rows.push_back(read);
        if (!both) continue;
        const auto dim = read.unit_dim(few.along);
        const bool shared = std::ranges::none_of(
            task.host.dims, [&](const std::string& loop) { return loop != column && read.moves_with(loop); });
        if (!shared || !dim || !read.at[static_cast<std::size_t>(*dim)].is_plain() || !task.is_input(read.tensor) ||
            is_read_by_data(task, read.tensor) ||
            task.kernel.tensor(read.tensor).boundary.mode != Boundary::Mode::none ||
            !few.dims.emplace(read.tensor, *dim).second)
            return std::nullopt;
    }
    const bool lie = lie_along(task, rows, few.along, true, few.when);
    if (few.dims.empty() || !lie || few.when.all.empty()) return std::nullopt;
    few.when.all.push_back(at_least(std::min(most_columns, task.lanes() / 2), task.extents().back()));
    few.when.all.push_back(at_least(reduced_points(task), 4 * task.lanes()));
    return few;
}

std::string few_columns_name(const Task& task) { return task.host.cores[0].func + "_columns"; }

void few_columns_variant(const Task& task, Steps& host, const FewColumns& few) {
    RowPlan plan;
    plan.suffix = "_columns";
    plan.along = few.along;
    plan.rows = most_columns;
    host.specialize("columns", few.when, [&](Steps& steps) { host_rows(task, steps, plan); });
    const std::string func = few_columns_name(task);
    core_of_rows(task, task.host.cores[0], func, plan);
    for (const auto& [tensor, dim] : few.dims) {
        const std::string copy = copy_name(task, tensor, plan.suffix);
        const auto loop_of = [&](int d) { return copy + "_d" + std::to_string(d); };
        task.stage(func).copy_in(tensor, copy, {"", "root"});
        task.stage(copy).reorder_storage(innermost_first(task.kernel.tensor(tensor).rank, dim, loop_of));
    }
}

bool rows(const Task& task) {
    const RowPlan plan = *row_plan(task, true);
    Steps host = task.stage(task.host.func);
    const auto other = turned(task, plan);
    std::vector<Way> ways;
    if (other) {
        const auto& [plan_of_columns, columns] = *other;
        const bool gathers = plan_of_columns.dim < 0;
        const Condition whole = gathers ? Condition() : whole_when(task, plan_of_columns).value_or(Condition());
        ways.push_back({plan_of_columns, whole && columns});
    }
    const Condition vectors = worth_it(task, plan);
    if (!vectors.all.empty()) {
        if (auto by_one = by_long_rows(task, plan)) ways.push_back(std::move(*by_one));
        ways.push_back({plan, vectors});
        ways.back().plan.suffix = whole_vectors;
    }
    const auto func = [&](const Way& way) { return task.host.cores.front().func + way.plan.suffix; };
    for (auto way = ways.rbegin(); way != ways.rend(); ++way)
        host.twin(func(*way), way->when);  // the last decides first
    for (const Way& way : ways) {
        host.specialize(way.plan.suffix.substr(1), way.when, [&](Steps& s) { host_loops(task, s, way.plan); });
        cores(task, way.plan, func(way));
    }
    const RowPlan rest = !vectors.all.empty() ? by_elements(task, plan) : plan;
    host_loops(task, host, rest);
    cores(task, rest);
    return other.has_value();
}

std::optional<StripsBeside> strips_beside(const Task& task, const Host& producer) {
    const auto has_one_sum = [](const Host& host) {
        return host.dims.size() == 1 && host.cores.size() == 1 && host.cores[0].stages.size() == 1 &&
               host.cores[0].stages[0].plain && host.cores[0].stages[0].reduced.size() == 1;
    };
    if (!task.at_root || task.fused_dims > 0 || !task.host.output || !task.has_wide_elements() || producer.output ||
        !has_one_sum(task.host) || !has_one_sum(producer) || !may_have_twin(task) || !fits_rows(task))
        return std::nullopt;
    const CoreStage &stage = task.host.cores[0].stages[0], &made = producer.cores[0].stages[0];
    const std::string &point = stage.reduced[0], &column = task.host.dims[0];
    const IndexRange& range = task.solution.indices[static_cast<std::size_t>(stage.equation)].at(point);
    if (range.min != Formula(0) || range.extent != task.solution.extents.at(producer.tensor)[0]) return std::nullopt;
    bool is_shared = false;
    for (const Read& read : stage.reads) {
        if (read.tensor == producer.tensor && !read.at[0].is_index(point)) return std::nullopt;
        const auto is_same = [&](const Read& other) {
            return other.tensor == read.tensor && other.moves_with(producer.dims[0]) &&
                   other.moves_with(made.reduced[0]);
        };
        is_shared = is_shared || (task.is_input(read.tensor) && read.moves_with(point) && read.moves_with(column) &&
                                  std::ranges::any_of(made.reads, is_same));
    }
    RowPlan plan = *row_plan(task, true);
    const auto whole = whole_when(task, plan);
    if (!is_shared || plan.dim != 0 || plan.single || !plan.inside.empty() || plan.lanes || plan.deep < 2 || !whole)
        return std::nullopt;
    plan.suffix = whole_vectors;
    return StripsBeside{*whole && strips_are_rows(task, plan),
                        {task.host.cores[0].func + plan.suffix, point + plan("_o")}};
}

}  // namespace halogen::recipes
