#pragma once
// How the reductions of rows run: which loop has the vectors, by which dim is contiguous, and the tile.

#include "schedules/recipes/recipes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halogen::recipes {

/// One place of a read has two loops: the stage is a window.
bool slides(const Read& read);

/// The only reduced loop, l of the place `S*t + l` in windows that a size or a large number tells apart: vectors along the result would be
/// gathered. Nothing for other places. (298 frames of 400 elements, 160 apart, on Zen 4, us: 119 gathered, 4.6 so; of 64 13.0 and 1.0.)
std::optional<std::string> window_far_apart(const CoreStage& stage, const LinearPlace& place);

/// Two reads that each leave out a loop of the result the other one has: register tiles reuse both. Not where the result has few elements
/// in all: `C[i, j] += X[n, i]*X[n, j]` of points in space is as many sums.
bool is_product(const Task& task, const CoreStage& stage);

/// The read of a stage that most of its loops move: the one whose order decides. Null where none moves with a reduced loop.
const Read* principal(const Task& task, const CoreStage& stage);

/// Which loop of one stage has the vectors.
struct Along {
    std::string loop;  // in the host's names; a reduced one as the stage calls it
    int dim = -1;      // of the host; -1: the loop is reduced
};

/// The loop along which the principal read of a stage is contiguous when its dim `last ? rank - 1 : 0` is.
std::optional<Along> vector_loop(const Task& task, const CoreStage& stage, bool last);

/// How all reductions of a host run: with partial results, or with vectors along one and the same loop of the result.
struct RowPlan {
    bool last = true;           // contiguous in the last dim of what is read, else in the first
    int dim = -1;               // the vector loop of the result; -1: partial results
    std::vector<int> inside;    // dims of the host whose loops run inside of a strip: all of them
    int rows = 1, vectors = 1;  // of the tile
    int lanes = 0;              // of rows, or of strips, that are known to be short; 0: as many as a vector has
    std::vector<int> whole;     // dims of the host with few elements, as the last one, which lie in the tile with it
    int deep = 1;               // points of the innermost reduced loop that are added up in registers, of strips
    bool several =
        false;  // rows that share what is read, or whose lanes take long to join: best side by side, if not long
    bool masked = false;  // partial results take what is no whole vector under a mask
    bool single = false;  // an element after the other, without vectors
    std::string along;    // the reduced loop of partial results, if it is not the one that `vector_loop` finds
    std::string suffix;   // of the loops' names

    std::string operator()(const char* loop) const { return loop + suffix; }
};

/// Rows so long that what several share is not worth their being read side by side, each from pages of its own: one at a time, by sums
/// enough to hide the latency of one. (A matrix times a vector on Zen 4, us, by four rows and so: 1900x2100 285 and 222, 4096x4096 2710 and
/// 2340, 512x512 11.6 and 12.5; the largest of rows, 1900x2100, 398 and 259.)
constexpr std::int64_t long_row = 1024;

/// Lanes of partial results: shorter rows are taken an element after the other.
constexpr int fewest_lanes = 4;

/// Loops through the reductions of a host; false where `visit` says so.
template<typename Visit>
bool each_reduction(const Task& task, Visit&& visit) {
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages)
            if (!stage.reduced.empty() && !visit(core, stage)) return false;
    return true;
}

/// The stage takes the greatest or least of floats: Halide leaves its reduced loops as they are written, and lanes are joined as keys.
bool keeps_order(const Task& task, const CoreStage& stage);

/// Some reduction of the host does.
bool some_keeps_order(const Task& task);

/// How long the rows of each reduction are, along the loop of their vectors.
std::vector<Formula> row_lengths(const Task& task, const RowPlan& plan);

/// Nothing where the reductions want vectors along different loops.
std::optional<RowPlan> row_plan(const Task& task, bool last);

}  // namespace halogen::recipes
