#pragma once
// Questions to a nest that the given loop-nest cases ask.

#include "schedules/nest/nest.h"
#include "tests/schedule/boxes.h"

#include <map>
#include <set>
#include <string>

namespace halogen {

/// What is read or written of each tensor while the loops inside `loop_id` run (0: the whole nest); the loops around stay symbols.
/// Tensors whose places depend on data are left out.
struct NestBounds {
    std::map<std::string, IndexBox> reads, writes;
};
NestBounds bounds_of(const Nest&, int loop_id = 0);

/// Which stages' stores a stage reads, by "Func.stage"; "X" is what tensor X held before. Exact for the given sizes: stores that
/// were overwritten before they were read do not count. Places that depend on data are left out.
std::map<std::string, std::set<std::string>> flows_of(const Nest&, const Bindings& sizes);

/// Funcs that the outputs need.
std::set<std::string> live_funcs(const Nest&);

}  // namespace halogen
