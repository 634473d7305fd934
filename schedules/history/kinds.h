#pragma once
// The registry of step kinds: what each holds, how it is written, what it acts on and which
// Halide call it becomes. What a kind does to Halide stands in state/kind_directives.cpp, to the shadow nest in nest/apply.cpp.

#include "schedules/history/step.h"

#include <string_view>
#include <vector>

namespace halogen {

/// One part of a step's text, in the order written.
enum class StepPart {
    tensor,  // X
    loops,   // i, j
    made,    // -> io, ii
    factor,  // 16
    by,      // by 16
    by_two,  // by 16, 8
    tail,    // tail guard
    dim,     // dim 1
    panel,   // dim 1 in panels of 16; may be left out
    at,      // Y.i
    with,    // with Y.0.i
    when     // when N >= 4; the steps nested below follow
};

/// What a step acts on.
enum class StepScope { func, stage, equations };

struct KindRow {
    StepKind kind;
    std::string_view name;
    StepScope scope;
    std::vector<StepPart> parts;
    int loops = 0, made = 0;  // the least numbers of them
    std::string_view halide;  // the call it becomes, "" without one
    std::string_view about;   // what it does, for people
};

std::string to_string(StepKind);

const std::vector<KindRow>& kind_rows();
const KindRow& kind_row(StepKind);
const KindRow* find_kind(std::string_view name);  // null for an unknown name
/// Of a copy that the step makes in the equations and places: made[0].
inline bool makes_placed_copy(StepKind kind) { return kind == StepKind::cache_reads || kind == StepKind::cache_writes; }

/// The table of docs/schedule-steps.md: kind, form, Halide call, meaning.
std::string print_kind_table();

}  // namespace halogen
