// How the reductions of rows run.

#include "schedules/recipes/row_plan.h"

#include "schedules/recipes/tiles.h"

#include <algorithm>
#include <bit>

namespace halogen::recipes {

namespace {

/// The loop along the dim before the last of what is read, which is short: of `D[i, j, c]` j. Its elements lie a few apart.
std::optional<Along> loop_before(const Task& task, const CoreStage& stage, const Read& read) {
    if (read.at.size() < 2) return std::nullopt;
    const LinearPlace& place = read.at[read.at.size() - 2];
    if (!place.is_plain()) return std::nullopt;
    const std::string& loop = place.coefficients.begin()->first;
    if (std::count(stage.reduced.begin(), stage.reduced.end(), loop)) return Along{loop, -1};
    const auto dim = std::find(task.host.dims.begin(), task.host.dims.end(), loop);
    if (dim == task.host.dims.end()) return std::nullopt;
    return Along{loop, static_cast<int>(dim - task.host.dims.begin())};
}

/// The most elements of rows whose lengths are known.
std::optional<std::int64_t> longest_row(const Task& task, const RowPlan& plan) {
    std::int64_t longest = 0;
    for (const Formula& length : row_lengths(task, plan)) {
        if (!length.constant()) return std::nullopt;
        longest = std::max(longest, *length.constant());
    }
    return longest;
}

/// What partial results are made of lies side by side, so that vectors of it are loads: none is padded, nor moves otherwise.
bool reads_side_by_side(const Task& task, const RowPlan& plan) {
    return each_reduction(task, [&](const Core&, const CoreStage& stage) {
        const std::string loop = vector_loop(task, stage, plan.last)->loop;
        return std::ranges::all_of(stage.reads, [&](const Read& read) {
            const bool padded = task.kernel.tensor(read.tensor).boundary.mode != Boundary::Mode::none;
            return !read.moves_with(loop) || (read.unit_dim(loop) && !padded);
        });
    });
}

/// The lanes of one vector that all elements along a dim lie in, where a number says that they are few; else 0. (Weighted sums of 1000 out
/// of 8 looked-up pairs `B[l, I[l, n], c]` on Zen 4, us: MEASURE in strips, 6 so.)
int lanes_of_few(const Task& task, int dim) {
    const auto elements = task.extents()[static_cast<std::size_t>(dim)].constant();
    if (!elements || *elements < 2 || *elements > task.lanes() / 2) return 0;
    const auto lanes = std::bit_ceil(static_cast<std::uint64_t>(*elements));
    return task.has_wide_elements() || static_cast<std::int64_t>(lanes) == *elements ? static_cast<int>(lanes) : 0;
}

/// Sums of rows of f32 on Zen 4, us, by 2 rows x 2 vectors, 4 x 1 and 1 x 2: 1024x1024 51, 48 and 44, 2000x100 11.4, 11.0 and 9.5, 64x64
/// 0.24, 0.21 and 0.20, 2000x20 7.5, 4.8 and 8.2; matrix times vector 1024x1024 55, 52 and 46, 64x64 0.26, 0.22 and 0.25. The largest
/// of 1000 rows of 100: 8.4 by 2 x 2, 6.5 by 4 x 1. Rows that are known to be
/// shorter have narrower vectors: sums of 20,000 rows of 8 49 by 16 lanes and 15 by 8, the largest of 10 121 and 48. A row times a matrix
/// of 1900x2100 in strips of 8 kB, eight rows at a time, 243, of 4 kB 364. Under masks rows of any length take 1 x 2: matrix times vector
/// 64x64 0.23, by 4 x 1 0.25, 100x20 0.18 and 0.29, 10,000x8 13 and 21, 1000x1000 42 and 48.
void choose_tile(const Task& task, RowPlan& plan) {
    if (plan.dim >= 0) {
        plan.vectors = task.choose("strip_vectors", 8192 / task.machine.vector_bytes, {32, 64, 128, 256, 512});
        plan.deep = task.choose("deep", 8, {1, 2, 4, 8, 16});
        plan.lanes = lanes_of_few(task, plan.dim);
        return;
    }
    const auto longest = longest_row(task, plan);
    plan.masked = !longest && task.machine.masked_tails && task.has_wide_elements() && reads_side_by_side(task, plan);
    const bool row = static_cast<int>(task.host.dims.size()) > task.fused_dims;
    const bool few = row && is_short(task.extents().back());
    each_reduction(task, [&](const Core&, const CoreStage& stage) {
        const std::string loop = vector_loop(task, stage, plan.last)->loop;
        const bool share = std::ranges::any_of(stage.reads, [&](const Read& read) {
            return row && read.moves_with(loop) && !read.moves_with(task.host.dims.back());
        });
        plan.several = plan.several || (!few && (share || (row && keeps_order(task, stage))));
        return true;
    });
    const bool one_by_one = plan.several && std::ranges::all_of(row_lengths(task, plan), [](const Formula& length) {
                                return length.constant().value_or(0) >= long_row;
                            });
    const bool side_by_side = plan.several && !one_by_one && (!plan.masked || some_keeps_order(task));
    const int rows = few ? static_cast<int>(*task.extents().back().constant()) : side_by_side ? 4 : 1;
    plan.rows = !row ? 1 : task.choose("rows", std::max(rows, 1), {1, 2, 4, 8});
    int sums = plan.rows;
    if (few)
        for (int d = task.fused_dims; d + 1 < static_cast<int>(task.extents().size()); d++) {
            const auto extent = task.extents()[static_cast<std::size_t>(d)].constant();
            if (!extent || *extent < 1 || sums * *extent > task.machine.vector_registers / 2) continue;
            plan.whole.push_back(d);
            sums *= static_cast<int>(*extent);
        }
    int vectors = row && sums == 1 && !one_by_one ? 2 : std::max(4 / sums, 1);
    if (longest) {
        plan.single = *longest < fewest_lanes;
        plan.lanes = task.lanes();
        while (plan.lanes > fewest_lanes && plan.lanes > *longest) plan.lanes /= 2;
        vectors = static_cast<int>(std::clamp<std::int64_t>(*longest / plan.lanes, 1, vectors));
    }
    if (!plan.single) plan.vectors = task.choose("vectors", vectors, {1, 2, 4, 8});
}

}  // namespace

std::optional<std::string> window_far_apart(const CoreStage& stage, const LinearPlace& place) {
    if (!place.affine || stage.reduced.size() != 1 || place.coefficients.size() < 2) return std::nullopt;
    const std::string& loop = stage.reduced.front();
    const bool far = std::ranges::all_of(place.coefficients, [&](const auto& step) {
        return step.first == loop || step.second.constant().value_or(longest_step + 1) > longest_step;
    });
    return far && place.step_of(loop) == Formula(1) ? std::optional(loop) : std::nullopt;
}

bool slides(const Read& read) {
    return std::any_of(read.at.begin(), read.at.end(),
                       [](const LinearPlace& place) { return place.affine && place.coefficients.size() > 1; });
}

bool is_product(const Task& task, const CoreStage& stage) {
    if (std::all_of(task.extents().begin(), task.extents().end(), is_short)) return false;
    const auto only = [&](const Read& a, const Read& b) {
        return std::any_of(task.host.dims.begin(), task.host.dims.end(),
                           [&](const std::string& loop) { return a.moves_with(loop) && !b.moves_with(loop); });
    };
    for (const Read& a : stage.reads)
        for (const Read& b : stage.reads)
            if (only(a, b) && only(b, a)) return true;
    return false;
}

const Read* principal(const Task& task, const CoreStage& stage) {
    const Read* best = nullptr;
    long most = 0;
    for (const Read& read : stage.reads) {
        long loops = 0;
        bool reduced = false;
        for (const std::string& loop : stage.reduced) {
            loops += read.moves_with(loop);
            reduced = reduced || read.moves_with(loop);
        }
        for (const std::string& loop : task.host.dims) loops += read.moves_with(loop);
        if (reduced && loops > most) {
            best = &read;
            most = loops;
        }
    }
    return best;
}

std::optional<Along> vector_loop(const Task& task, const CoreStage& stage, bool last) {
    const Read* read = principal(task, stage);
    if (!read || read->at.empty()) return std::nullopt;
    std::size_t at = last ? read->at.size() - 1 : 0;
    while (last && at > 0 && read->at[at].is_fixed()) at--;  // of `P[n, 0]` along n
    const LinearPlace& place = read->at[at];
    if (const auto window = window_far_apart(stage, place); window && read->unit_dim(*window) == static_cast<int>(at))
        return Along{*window, -1};
    if (!place.is_plain()) return std::nullopt;
    const std::string& loop = place.coefficients.begin()->first;
    if (read->unit_dim(loop) != static_cast<int>(at)) return std::nullopt;
    if (std::count(stage.reduced.begin(), stage.reduced.end(), loop)) {
        const Formula& extent = task.solution.indices[static_cast<std::size_t>(stage.equation)].at(loop).extent;
        const auto before = last && is_short(extent) ? loop_before(task, stage, *read) : std::nullopt;
        return before.value_or(Along{loop, -1});
    }
    const auto found = std::find(task.host.dims.begin(), task.host.dims.end(), loop);
    if (found == task.host.dims.end()) return std::nullopt;
    const int dim = static_cast<int>(found - task.host.dims.begin());
    return last && is_short(task.extents()[static_cast<std::size_t>(dim)])
               ? loop_before(task, stage, *read).value_or(Along{loop, dim})
               : Along{loop, dim};
}

bool keeps_order(const Task& task, const CoreStage& stage) {
    const Equation& equation = task.kernel.equations[static_cast<std::size_t>(stage.equation)];
    return joins_as_keys(equation.op, task.kernel.tensor(equation.left.tensor).type);
}

bool some_keeps_order(const Task& task) {
    return !each_reduction(task, [&](const Core&, const CoreStage& stage) { return !keeps_order(task, stage); });
}

std::vector<Formula> row_lengths(const Task& task, const RowPlan& plan) {
    std::vector<Formula> lengths;
    each_reduction(task, [&](const Core&, const CoreStage& stage) {
        const std::string loop = vector_loop(task, stage, plan.last)->loop;
        lengths.push_back(task.solution.indices[static_cast<std::size_t>(stage.equation)].at(loop).extent);
        return true;
    });
    return lengths;
}

std::optional<RowPlan> row_plan(const Task& task, bool last) {
    RowPlan plan;
    plan.last = last;
    std::optional<int> dim;
    const bool fits = each_reduction(task, [&](const Core&, const CoreStage& stage) {
        const auto along = vector_loop(task, stage, last);
        if (!along || (dim && *dim != along->dim) || (along->dim >= 0 && along->dim < task.fused_dims)) return false;
        dim = along->dim;
        return true;
    });
    if (!fits || !dim) return std::nullopt;
    plan.dim = *dim;
    choose_tile(task, plan);
    return plan;
}

}  // namespace halogen::recipes
