#pragma once
// One step of a schedule, as a value: `C.0 split j -> jo, ji by 32 tail guard`.

#include "frontend/plan/condition.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen {

/// What a split does with the last, partial tile. `exact`: there is none; `separate`: a loop of its own, made[2], after the
/// others. Always stored, never "auto".
enum class Tail { exact, guard, predicate, round_up, shift_inwards, separate };
std::string to_string(Tail);

/// The kinds of step; `to_string` (kinds.h) names them as written here.
enum class StepKind {
    copy_in,  // the equations of `func` read `tensor` through a private copy `made[0]`, dim `dim` in panels of `factor`, which are
    // made of vectors of `second`; with a place it is computed there
    twin,          // stored Func `func` takes its values from a second computation `made[0]` where `when` holds
    in_place,      // the equations write stored `func` itself, and not a Func of values that it copies
    skip_outside,  // reduced points at which `func` reads `tensor` beyond one of its `dims` are left out: they add nothing
    partial,  // update `stage` reduces over loops[0] in `second` vectors of `factor` partial results, Func made[0]; with a
    // place they lie in registers there, for each iteration of the other loops, whose extents are `extents`, and are
    // joined as a vector
    group,  // the sum over loops[0] runs on to a multiple of `factor`, and copies hold so many elements of it side by side
    overcompute,         // `func` may run past the end of `loops[0]`: its reads are clamped where they enter
    compute_root,        // `func` is computed whole before its readers
    compute_at,          // `func` is computed as needed inside loop `at_loop` of `at_func`
    compute_inline,      // `func` is pasted into its readers
    store_root,          // its storage lasts for the whole call
    store_at,            // its storage lasts for one iteration of `at_loop` of `at_func`
    hoist_storage,       // it is allocated at `at_loop` of `at_func`
    hoist_storage_root,  // it is allocated once
    store_in_stack,      // its storage is of constant extent and lies on the stack
    registers,  // it is computed at `at_loop` of `at_func` in `second` vectors of `factor` along loops[0], and the others, of
                // extents `extents`, written out
    bound_extent,     // the extent of loop `loops[0]` of the whole Func is the constant `factor`
    bound,            // loop `loops[0]` of the whole Func runs over [0, `factor`), whatever its readers ask for
    reorder_storage,  // `loops` from the innermost in memory outwards
    align_storage,    // the stride behind dim `loops[0]` is a multiple of `factor` elements
    fold_storage,     // dim `loops[0]` is kept modulo `factor`
    compress,         // dims that only loops around all uses index keep one element
    async,            // it is computed in a thread of its own
    split,            // loops[0] -> made[0] (outer), made[1] (inner, `factor` long), made[2] (a separate tail)
    tile,             // loops[0], loops[1] -> outer, outer, inner, inner by `factor`, `second`
    fuse,             // loops[0] (inner), loops[1] (outer) -> made[0]
    flatten,          // `loops` of a perfect nest, innermost first -> made[0]
    reorder,          // `loops` from innermost to outermost
    rename,           // loops[0] -> made[0]
    vectorize,
    unroll,
    parallel,
    serial,
    never_partition,  // no separate epilogue for this loop, so that loops inside it get theirs
    always_partition,
    rfactor,        // `loops` of a reduction become loops made[1], … of a new Func made[0] of partial results
    atomic,         // lanes of one reduction may meet in one element
    prefetch,       // what `func` reads of `tensor` is fetched `factor` iterations of loops[0] ahead
    compute_with,   // this stage runs in the loops of stage `at_stage` of `at_func` down to `at_loop`
    specialize,     // where `when` holds, the steps `nested` apply instead of what follows
    slice_head,     // the first `factor` iterations of loops[0] -> made[0], the others -> made[1]
    slice_tail,     // the last `factor` iterations of loops[0] -> made[1], the others -> made[0]
    normalize,      // loops[0] counts from zero
    distribute,     // loops[0] around several statements becomes one loop around each
    fuse_siblings,  // loops[0] and the neighbour `at_loop` of `at_func`, of equal range -> made[0]
    cache_reads,    // below loop `at_loop` the reads of `tensor` go through a copy made[0] of what they cover
    cache_writes,   // below loop `at_loop` the running values lie in a copy made[0] of what is written
};

/// One step on one stage: `stage` 0 is the pure definition of a Func, n its n-th update.
struct Step {
    StepKind kind;
    std::string func;
    int stage = 0;
    std::vector<std::string> loops = {};
    std::vector<std::string> made = {};
    Formula factor = {};
    Tail tail = Tail::exact;
    std::string tensor = {};                 // copy_in, prefetch, cache_reads, skip_outside
    int dim = -1;                            // copy_in
    std::vector<int> dims = {};              // skip_outside
    std::string at_func = {}, at_loop = {};  // levels
    Condition when = {};                     // twin, specialize
    std::vector<Step> nested = {};           // specialize
    Formula second = {};                     // tile: of loops[1]; partial, registers, copy_in
    std::vector<Formula> extents = {};  // registers, partial: of loops[1] and on; none: bound elsewhere, or nowhere
    int at_stage = 0;                   // compute_with, fuse_siblings
    // What a step carries beside its effect.
    int id = 0;                              // stable within its history; 0: not numbered
    std::string knob = {};                   // the decision that `factor` follows
    std::string origin = {};                 // who wrote it: "" (a recipe), user, tuner, import
    std::string note = {};                   // the comment behind it
    std::vector<std::string> comments = {};  // the comment lines above it
    std::string whole = {};                  // of a part of a step: the step as it is written
    friend bool operator==(const Step&, const Step&) = default;
};

/// Calls `visit(Step&)` on every step, those of specialisations included, in order of the text.
template<typename Steps, typename Visit>
void each_step(Steps& steps, Visit&& visit) {
    for (auto& step : steps) {
        visit(step);
        each_step(step.nested, visit);
    }
}

}  // namespace halogen
