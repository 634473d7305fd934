#pragma once
// What steps make of Funcs: the state that Halide keeps of every stage, in the names that histories use. A value without Halide:
// `read_state` reads Halide's own, `StateModel` tells from the steps alone what it must be.

#include "schedules/history/history.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halogen {

/// A loop of a stage.
struct LoopState {
    std::string name;
    bool reduced = false;
    std::string_view mark = "serial";     // serial, parallel, vectorized, unrolled
    std::string_view partition = "auto";  // auto, never, always
    bool from_zero = false;               // it is known to count from 0; not part of the state
    bool unordered = false;  // reduced, but its iterations know nothing of each other; not part of the state
};

/// How one loop became two, two one, or one another.
struct SplitState {
    enum class Kind { split, fuse, rename } kind = Kind::split;
    std::string old, outer, inner;  // fuse: outer and inner become old; rename: old becomes outer
    std::string factor = {};
    Tail tail = Tail::exact;  // resolved: never exact
};

struct PrefetchState {
    std::string tensor, loop, offset;
};

/// Where something happens: inside a loop of a Func, or, without a Func, "root" or "inline".
struct LevelState {
    std::string func = {};
    std::string loop = "inline";
};

struct BranchState;

/// One stage, or one branch of a specialisation: a copy of the stage as it was, changed further.
struct StageState {
    std::vector<LoopState> loops;  // innermost first
    std::vector<SplitState> splits;
    std::vector<PrefetchState> prefetches;
    bool atomic = false;
    LevelState with;  // runs in another stage's loops down to this one
    int with_stage = 0;
    std::vector<BranchState> branches;
    /// Its number as steps count, which parts of a sliced stage share; -1: it computes nothing.
    int step_stage = 0;

    /// Its place in `loops`, -1 without one.
    int find(const std::string& loop) const;
};

struct BranchState {
    std::string when;
    StageState stage;
};

struct DimState {
    std::string name;
    std::string align = {}, fold = {};
};

struct BoundState {
    std::string loop, min, extent;  // min "" where only the extent is fixed
};

struct FuncState {
    LevelState compute, store, hoist;
    bool stack = false, async = false;
    bool output = false;            // not part of the state
    std::vector<std::string> dims;  // innermost in memory first, before any step; not part of the state
    std::vector<DimState> storage;  // innermost in memory first
    std::vector<BoundState> bounds;
    std::vector<StageState> stages;
};

/// Funcs by name.
using ScheduleState = std::map<std::string, FuncState>;

/// Everything that counts, one line each: equal texts are equal states.
std::string print(const std::string& name, const FuncState&);
std::string print(const ScheduleState&);
/// 16 hexadecimal digits of the printed state.
std::string state_hash(const ScheduleState&);

}  // namespace halogen
