#pragma once
// Exact dependences: whether two runs of statements can meet in one element, decided by integer programming over the places of
// their accesses (frontend/integers/system.h). Where data stand in a place, or the question is too large, the answer is yes.

#include "schedules/nest/nest.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A statement and the loops around it.
struct NestRun {
    NestPath path;
    const NestStatement* statement;
};
std::vector<NestRun> runs_below(const Nest&, int loop_id);
std::vector<NestRun> all_runs(const Nest&);

/// How the values of a loop in two runs lie to one another.
struct LoopOrder {
    int a = 0, b = 0;                                             // ids; the same loop, or two that run side by side
    enum class Kind { equal, before, after } kind = Kind::equal;  // of the value in run a, seen from run b
};

/// Which accesses count.
enum class Meetings {
    any,    // at least one writes, but not one point computed twice
    flow,   // a writes what b reads; a reduction reads what it writes
    order,  // as any, but not two steps of one associative reduction either
};

/// Two accesses that meet: "S.1 writes S and B.0 reads S".
struct Meeting {
    std::string tensor;
    std::string text;
};
std::optional<Meeting> meeting(const Nest&, const NestRun& a, const NestRun& b, const std::vector<LoopOrder>&,
                               Meetings);

/// A meeting of two iterations of a loop, the loops around it standing still.
std::optional<Meeting> carried(const Nest&, int loop_id, Meetings);

}  // namespace halogen
