#pragma once
// A schedule as a value: the ordered list of steps that turn plain loops into fast ones. Only `bind` applies them.

#include "frontend/lower/condition.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen {

/// What a split does with the last, partial tile. `exact`: there is none. Always stored, never "auto".
enum class Tail { exact, guard, predicate, round_up, shift_inwards };

/// The kinds of step; `print` names them as written here.
enum class StepKind {
    copy_in,  // the equations of `func` read `tensor` through a private copy `made[0]`, dim `dim` in panels of `factor`
    twin,     // stored Func `func` takes its values from a second computation `made[0]` where `when` holds
    overcompute,      // `func` may run past the end of `loops[0]`: its reads are clamped where they enter
    compute_root,     // `func` is computed whole before its readers
    compute_at,       // `func` is computed as needed inside loop `at_loop` of `at_func`
    store_in_stack,   // its storage is of constant extent and lies on the stack
    bound_extent,     // the extent of loop `loops[0]` of the whole Func is the constant `factor`
    reorder_storage,  // `loops` from the innermost in memory outwards
    split,            // loops[0] -> made[0] (outer), made[1] (inner, `factor` long)
    fuse,             // loops[0] (inner), loops[1] (outer) -> made[0]
    reorder,          // `loops` from innermost to outermost
    vectorize,
    unroll,
    parallel,
    never_partition,  // no separate epilogue for this loop, so that loops inside it get theirs
    rfactor,          // `loops` of a reduction become loops made[1], … of a new Func made[0] of partial results
    atomic,           // lanes of one reduction may meet in one element
    specialize,       // where `when` holds, the steps `nested` apply instead of what follows
};
std::string to_string(StepKind);

/// One step on one stage: `stage` 0 is the pure definition of a Func, n its n-th update.
struct Step {
    StepKind kind;
    std::string func;
    int stage = 0;
    std::vector<std::string> loops = {};
    std::vector<std::string> made = {};
    Formula factor = {};
    Tail tail = Tail::exact;
    std::string tensor = {};                 // copy_in
    int dim = -1;                            // copy_in
    std::string at_func = {}, at_loop = {};  // compute_at
    Condition when = {};                     // twin, specialize
    std::vector<Step> nested = {};           // specialize
    friend bool operator==(const Step&, const Step&) = default;
};

struct History {
    std::vector<Step> steps;
    friend bool operator==(const History&, const History&) = default;
};

/// One step per line: `C.0 split j -> jo, ji by 32 tail guard`; steps of a specialisation are indented below it.
std::string print(const Step&);
std::string print(const History&);

}  // namespace halogen
