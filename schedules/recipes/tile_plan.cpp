// Which loops a register tile spans, and how far.

#include "frontend/plan/factors.h"
#include "schedules/recipes/tiles.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

/// Registers choose the tile: `rows` x `vectors` accumulators, the vector operands, a broadcast and, without a fused
/// multiply-add, the product. Measured on Emerald Rapids (avx512, f32, sgemm 64…2048): 8 x 2 0.80-0.92 of peak; 12 and 13
/// rows gain 1-3 % at 2048 and lose more to raggedness at 64 and 100.
void standard_tile(const Task& task, Plan& plan) {
    plan.lanes = task.lanes();
    const bool wide = task.machine.vector_registers >= 32;
    const bool fused = task.machine.vector_bytes > 16;
    if (plan.gathers) {  // a tile shares nothing, and every lane of it is code
        plan.vectors = 1;
        if (plan.by_data) plan.lanes = std::min(plan.lanes, 8);
        return;
    }
    if (!plan.contraction) {
        // Sums of long columns need several accumulators to hide the latency of an addition; windows are short, and narrow
        // tiles waste less where the last dim is short (channels).
        plan.vectors = plan.slides ? (plan.row_dim ? 2 : 1) : (wide ? 4 : 2);
        plan.rows = plan.row_dim ? (wide ? 4 : 2) : 1;
        return;
    }
    // 7 divides the rows of the common convolutions (7, 14, 28, 56); 7 x 4 is no faster and costs code.
    plan.vectors = 2;
    plan.rows = std::min(plan.window ? 7 : 8, (task.machine.vector_registers - (fused ? 4 : 8)) / plan.vectors);
}

/// A tile is no larger than a result whose extents are small numbers: matrices of 3 x 3.
void fit_to_numbers(const Task& task, Plan& plan) {
    const auto elements = task.extents()[static_cast<std::size_t>(plan.vector_dim)].constant().value_or(1 << 20);
    while (plan.vectors > 1 && elements <= (plan.vectors - 1) * plan.lanes) plan.vectors--;
    while (plan.contraction && plan.lanes > 4 && elements <= plan.lanes / 2) plan.lanes /= 2;
    if (!plan.row_dim) return;
    const auto rows = task.extents()[static_cast<std::size_t>(*plan.row_dim)].constant().value_or(plan.rows);
    plan.rows = static_cast<int>(std::clamp<std::int64_t>(rows, 1, plan.rows));
}

void choose_tile(const Task& task, Plan& plan) {
    standard_tile(task, plan);
    fit_to_numbers(task, plan);
    plan.vectors = task.choose("vectors", plan.vectors, {1, 2, 3, 4});
    if (plan.row_dim) plan.rows = task.choose("rows", plan.rows, {1, 2, 3, 4, 5, 6, 7, 8, 10, 12});
}

/// u8 times i8 by fours and bf16 by twos, where the machine has such instructions.
std::optional<Dots> dots_of(const Task& task, const Core& core) {
    if (!task.machine.dot_products || core.stages.size() != 1 || core.stages[0].reduced.empty()) return std::nullopt;
    const CoreStage& stage = core.stages[0];
    const std::string& loop = stage.reduced.back();
    const auto factors = whole_factors(task.kernel, task.solution, stage.equation, loop);
    if (!factors) return std::nullopt;
    const auto [left, right] = *factors;
    const auto is_plain = [&](const Access* read) {
        return task.is_input(read->tensor) &&
               std::all_of(read->at.begin(), read->at.end(), [](const Expr& place) { return place.as<IndexRef>(); });
    };
    if (!is_plain(left) || !is_plain(right)) return std::nullopt;
    const Type a = task.kernel.tensor(left->tensor).type, b = task.kernel.tensor(right->tensor).type;
    const std::string& sums = task.kernel.equations[static_cast<std::size_t>(stage.equation)].left.tensor;
    const Type sum = compute_type(task.kernel.tensor(sums).type);
    const bool bytes = sum == Type::i32 && ((a == Type::u8 && b == Type::i8) || (a == Type::i8 && b == Type::u8));
    const bool halves = sum == Type::f32 && a == Type::bf16 && b == Type::bf16;
    if (!bytes && !halves) return std::nullopt;
    return Dots{loop, bytes ? 4 : 2, left, right};
}

/// The only dims of the host that move the place are short: no window, but the phases of a filter (`F[2*u + a]` of the rows
/// `a in 0:2`).
bool is_phase(const Task& task, const LinearPlace& place, int row_dim) {
    const auto dims = static_cast<int>(task.host.dims.size());
    bool moves = false;
    for (int d = task.fused_dims; d < dims; d++) {
        if (!place.coefficients.count(task.host.dims[static_cast<std::size_t>(d)])) continue;
        moves = true;
        if (d == row_dim || !is_short(task.extents()[static_cast<std::size_t>(d)])) return false;
    }
    return moves;
}

/// Reads that share nothing in a tile and are no vectors of memory either: `V[x, A[i]]`, `V[x, i/2]`.
void look_for_gathers(const Task& task, Plan& plan) {
    const auto moves = [&](const auto& read, int dim) {
        return read.moves_with(task.host.dims[static_cast<std::size_t>(dim)]);
    };
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            for (const Read& read : stage.reads)
                for (const LinearPlace& place : read.at) {
                    if (place.affine || !moves(place, plan.vector_dim) || !moves(read, *plan.row_dim)) continue;
                    plan.gathers = true;
                    plan.by_data = plan.by_data || place.by_data;
                }
    if (!plan.gathers) return;
    plan.contraction = plan.window = false;
    plan.row_dim.reset();
    plan.windowed.clear();
}

}  // namespace

std::optional<Plan> plan_along(const Task& task, int dim) {
    const Host& host = task.host;
    const std::string& loop = host.dims[dim];
    Plan plan;
    plan.vector_dim = dim;
    bool vector_read = false;
    for (const Core& core : host.cores)
        for (const CoreStage& stage : core.stages) {
            if (stage.reduced.empty()) continue;
            std::vector<const Read*> with, without;
            for (const Read& read : stage.reads) (read.moves_with(loop) ? with : without).push_back(&read);
            vector_read = vector_read || !with.empty();
            for (const Read& read : stage.reads)
                for (const LinearPlace& place : read.at) plan.slides = plan.slides || place.coefficients.size() > 1;
            for (const Read* read : with) {
                for (int d = static_cast<int>(host.dims.size()); d-- > task.fused_dims;)
                    if (d != dim && !plan.row_dim && !read->moves_with(host.dims[d])) plan.row_dim = d;
            }
            for (const Read* read : without) {
                if (!plan.row_dim || !read->moves_with(host.dims[*plan.row_dim]) || with.empty()) continue;
                plan.contraction = true;
                for (const LinearPlace& place : read->at) {
                    if (place.coefficients.size() < 2 || is_phase(task, place, *plan.row_dim)) continue;
                    plan.window = true;
                    for (int d = task.fused_dims; d < static_cast<int>(host.dims.size()); d++)
                        if (d != *plan.row_dim && place.coefficients.count(host.dims[d])) plan.windowed.push_back(d);
                }
            }
        }
    if (!vector_read) return std::nullopt;
    if (plan.row_dim) look_for_gathers(task, plan);
    choose_tile(task, plan);
    if (plan.contraction && !plan.window && host.cores.size() == 1) plan.dots = dots_of(task, host.cores[0]);
    return plan;
}

std::vector<VectorRead> vector_reads(const Task& task, const std::string& loop) {
    std::vector<VectorRead> reads;
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            for (const Read& read : stage.reads) {
                const auto dim = read.step_dim(loop, longest_step);
                if (!task.is_input(read.tensor) || !dim) continue;
                const VectorRead found{read.tensor, *dim, static_cast<int>(read.at.size()),
                                       read.at[static_cast<std::size_t>(*dim)].coefficients.size() > 1};
                if (std::find(reads.begin(), reads.end(), found) == reads.end()) reads.push_back(found);
            }
    return reads;
}

Formula panel_bytes(const Task& task, const Core& core, int width) {
    Formula points = 1;
    for (const CoreStage& stage : core.stages)
        for (const std::string& loop : stage.reduced)
            points = points * task.solution.indices[stage.equation].at(loop).extent;
    return max(points, Formula(1)) * Formula(4 * width);
}

}  // namespace halogen::recipes
