#pragma once
// One recipe per shape of loop nest. Each schedules one host: a stored tensor and the reductions computed in its tiles.

#include "frontend/notation/program.h"
#include "schedules/history/history.h"
#include "schedules/history/steps.h"
#include "schedules/machine/knob_values.h"
#include "schedules/machine/machine.h"
#include "schedules/recipes/structure.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace halogen::recipes {

/// What every recipe is given.
struct Task {
    const Kernel& kernel;
    const Solution& solution;
    const Machine& machine;
    const Host& host;
    int fused_dims;  // leading loops that stay as they are: intermediates are computed inside them
    bool at_root;    // threads may be used here: not inside a loop of the kernel's output
    History& history;
    const KnobValues& chosen;  // decisions that were made elsewhere, by a tuner or a user
    bool slides = false;       // rows of producers are kept from row to row (see row_blocks)
    bool scans = false;        // rows of recurrences are computed for each block of this host's rows (see serial_rows)
    bool strips = false;       // producers are computed beside strips of this host's rows (see strip_loop)
    bool blocks = false;       // producers are computed for blocks of this host's first loop (see block_loop)
    bool together = false;     // producers are computed beside the points that strips add up (see strips_beside)
    bool turns = true;         // buffers that lie the other way round come here: the kernel has no code for them alone

    /// A decision of this host: `standard`, or what was chosen otherwise in `domain`. It becomes the knob `HOST_name` of the
    /// history; asked for again it is the same.
    int choose(const std::string& name, int standard, std::vector<std::int64_t> domain) const;
    Steps stage(const std::string& func, int stage = 0) const { return Steps(history.steps, func, stage); }
    bool is_input(const std::string& tensor) const { return kernel.tensor(tensor).role == Role::input; }
    /// Lanes of a vector of the host's widest computed element.
    int lanes() const;
    /// Extents of the host's dims.
    const std::vector<Formula>& extents() const { return solution.extents.at(host.tensor); }
    /// Their product, but for the dims `left_out`.
    Formula product_without(const std::vector<int>& left_out) const;
    /// Its elements have four bytes or more. Halide masks no others, but takes each by itself.
    bool has_wide_elements() const { return machine.vector_bytes >= 4 * lanes(); }
    Tail vector_tail() const {
        const bool masked = machine.masked_tails && has_wide_elements();
        return choose("masked", masked, {0, 1}) ? Tail::predicate : Tail::guard;
    }
};

/// What the host calls its copy of `tensor` for a `use` such as "_pack": hosts that read the same tensor have copies of their own.
std::string copy_name(const Task&, const std::string& tensor, const std::string& use);

/// Each element from what it reads: vectors along the loop that is unit-stride in all buffers, the last or the first;
/// small scalar tiles where buffers disagree.
void map(const Task&);
/// A map whose buffers all lie along dim `dim`: when, and its loops there.
struct StraightWay {
    int dim;
    Condition unit;
    std::function<void(Steps&)> loops;
};
/// Vectors along the last or first dim of a map's output where an input lies along the other one: what is read is loaded the way it
/// lies and turned around in registers. Nothing where the reads do not allow it. True when that covers inputs of any order; then it
/// stands behind the `straight` ways, and has written them too.
bool turned_map(const Task&, const std::vector<StraightWay>& straight);
/// The points behind one element of the host: of its longest reduction, or 1.
Formula reduced_points(const Task&);
/// A loop that threads may share: its iterations, and the points of each (not all the work divided, which may leave 32 bits).
struct Shared {
    std::string loop;
    Formula iterations, points;
    std::vector<std::string> made_of = {};  // the loops that become it, innermost first; none: it is there
};
/// Points as tasks count them: one at which a function such as exp is evaluated costs what four others do.
Formula work_of(const Task&, const Formula& points);
/// What a task of threads should be: some 2^15 points, for a task costs what thousands of them do; and one task for all of a
/// loop that has no more than four times as many.
struct TaskSize {
    int points = 1 << 15, tasks_worth_it = 4;
    /// Iterations of a task.
    Formula of(const Shared&) const;
};
/// Threads take the loop in tasks; inside of `LOOP_tasks` it keeps its name.
void share(Steps&, const Shared&);
/// The first of the fused loops runs in blocks of rows: a level for the storage of intermediates; a block is one task.
void row_blocks(const Task&, Steps&);
/// The same over all of `outer` (innermost first) as one loop, which is called `chunk` inside of `tasks`.
void share_all(const Task&, Steps&, const std::vector<std::string>& outer, const Formula& iterations,
               const Formula& points);
/// The choice between two computations is known to Halide only where the host itself copies its one core.
bool may_have_twin(const Task&);
/// The loop of such a host around blocks of the first of its fused loops.
std::string block_loop(const Host&);
/// Reductions whose result has a vector loop: register tiles of the result, the reduced loops inside. True when what they read is
/// copied into panels, from any order.
bool tiles(const Task&);
/// Reductions without register tiles: vectors of partial results along the reduced loop, or vectors along a loop of the
/// result, whichever is contiguous. True when there is a second schedule for what is read the other way round.
bool rows(const Task&);
/// A product of few rows, whose matrix moves with dim `dim` of the host and not with dims `rows`: vectors along `dim`, or of
/// partial results along the reduced loop.
struct FewRows {
    std::string way;
    int dim;
    std::vector<int> rows;
    Condition when;
    bool along_reduction = false;
    Formula strip = {};  // elements along `dim` that all rows go through together, in vectors along it
    int deep = 8;        // points of the reduced loop that are added up each time sums come from the cache
};
/// The ways, first come first served; none where what the vectors read lies along neither. `any_order`: also for matrices of the other
/// order, and for few columns of a first factor in that order.
std::vector<FewRows> few_rows(const Task&, int dim, bool any_order);
/// Few elements, each a reduction over the same table, `D[n] min= abs(X[n] - C[k])`: more of them are computed in vectors along the result.
std::optional<FewRows> few_elements(const Task&);
/// The twin that computes it.
std::string few_rows_name(const Task&, const FewRows&);
/// Its loops where it applies; asked before what follows on the host.
void few_rows_variant(const Task&, Steps& host, const FewRows&);
/// A product of few columns, the last dim of the host: partial results along the reduced loop, for which the matrix of these columns is
/// copied with each of them in one piece.
struct FewColumns {
    std::string along;                // the reduced loop
    std::map<std::string, int> dims;  // of inputs that move with the columns: along it
    Condition when;
};
/// Nothing where the other operand does not lie along the reduced loop.
std::optional<FewColumns> few_columns(const Task&);
/// The twin that computes it.
std::string few_columns_name(const Task&);
/// Its loops where it applies; asked before what follows on the host.
void few_columns_variant(const Task&, Steps& host, const FewColumns&);
/// Recurrences, scatters and all that must run in order: whole rows where the leading loops are free.
void serial(const Task&);
/// Vectors of all stages of a core along its last loop, whole rows of them inside the loops that run in order.
void vectorize_last(const Task&, const Core&, bool threads = false);

/// Threads along the host's first dim.
void share_first_dim(const Task&, Steps&);
/// The last loop of the host, behind `free` ones, knows nothing of its other iterations: strips of it run through all that is in order.
bool fits_columns(const Task&, int free);
/// A strip of columns runs through all that is in order in the cache, and is copied from there.
void serial_columns(const Task&, int free);
/// The host's elements are what its only core computes.
bool may_hold_values(const Task&);
/// The host's only core, whose equations write the host from now on.
Core core_in_place(const Task&);

/// The intermediates, recurrences along their first dims among them, of which each strip of the last host's columns needs the same strip
/// alone; none where there is no recurrence.
std::vector<const Host*> beside_columns(const Structure&, const std::function<Task(const Host&)>& task_of);
/// The last host by strips of its columns, and what is computed beside each.
void columns(const Task&, const std::vector<Task>& beside);

/// Recurrences along the rows of an intermediate that the rows of `reader` are made from, a map, or another recurrence whose rows are
/// computed some at a time (`fits_rows_in_order`) and all that goes before it `chained` in this way: a few rows at a time, for each block
/// of the reader's rows.
void serial_rows(const Task&, const Host& reader);
bool fits_serial_rows(const Task&, const Host& reader, bool chained = false);
bool fits_rows_in_order(const Task&);

/// True when `tiles` fits (every core has plain left sides and something moves by vectors along the result).
bool fits_tiles(const Task&);
bool fits_rows(const Task&);
/// True when `map` serves buffers of any order: each moves by elements, and those that lie across are turned around in tiles.
bool map_turns(const Task&);

/// True when `producer`, which must be read by the task's host alone, can be computed beside strips of the host's rows: the loops
/// of both are those of windows, and each strip needs some whole rows of the producer.
bool fits_strips(const Task&, const Host& producer);
/// The loop over strips of a host's rows, in every form of it.
std::string strip_loop(const Host&);

/// Strips of a whole row, each of whose steps takes some elements of a producer that are sums along the same row of the same matrix: when
/// they are computed then, and where. `T[i] += A[i, j]*X[j]; Y[j] += A[i, j]*T[i]` goes through A once.
struct StripsBeside {
    Condition when;
    LoopOf loop;
};
/// Nothing where `producer`, which nobody else may read, is no such one.
std::optional<StripsBeside> strips_beside(const Task&, const Host& producer);

}  // namespace halogen::recipes
