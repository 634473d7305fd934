#pragma once
// The registry of step kinds: what each holds, how it is written, what it acts on and which
// Halide call it becomes. What a kind does to Halide stands in state/kind_directives.cpp, to the shadow nest in nest/apply.cpp.

#include "schedules/history/step.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halogen {

/// One part of a step's text, in the order written.
enum class StepPart {
    tensor,   // X
    loops,    // i, j
    list,     // i, j, …: as many as one likes
    made,     // -> io, ii
    factor,   // 16
    by,       // by 16
    by_two,   // by 16, 8
    by_tile,  // by 16, 8, 6: the extents of further loops may be left out
    rest,     // tail predicate, or nothing: how the last vector is taken
    tail,     // tail guard
    cut,      // by 16 -> io, ii tail guard, or by 16, 4 -> io, ii, iii tail guard; may be left out
    dims,     // dim 1, 2
    panel,    // dim 1 in panels of 16 by 8; may be left out, as may `by 8`
    level,    // at Y.i, or at root; may be left out
    at,       // Y.i
    with,     // with Y.0.i
    when      // when N >= 4; the steps nested below follow
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

/// Whether the text of such steps has one of the parts.
bool has_part(const KindRow&, std::initializer_list<StepPart>);
/// Whether the step splits its loop: `split`, and what marks a part of it, such as `vectorize i by 8 -> io, ii tail guard`.
bool cuts(const Step&);
/// Whether its loops become one before that, made[1]: `parallel x, y by 8 -> tasks, xy tail guard`.
bool fuses_first(const Step&);
/// The loops that a step such as `vectorize` marks: those it names, or the inner one of a cut (`parallel`: the outer one).
std::vector<std::string> marked_loops(const Step&);
/// The splits of a step that cuts, one after the other: `vectorize x by 8, 4 -> xo, xu, xv` cuts blocks of 32 and these by 8.
std::vector<Step> cuts_of(const Step&);

const std::vector<KindRow>& kind_rows();
const KindRow& kind_row(StepKind);
const KindRow* find_kind(std::string_view name);  // null for an unknown name
/// What is wrong with the numbers of loops and names of a step, and how to mend it.
struct WrongCounts {
    std::string what, fix;
};
std::optional<WrongCounts> wrong_counts(const Step&);

/// Of a copy that the step makes in the equations and places: made[0].
inline bool makes_placed_copy(StepKind kind) { return kind == StepKind::cache_reads || kind == StepKind::cache_writes; }

/// The table of docs/schedule-steps.md: kind, form, Halide call, meaning.
std::string print_kind_table();

}  // namespace halogen
