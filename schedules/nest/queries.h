#pragma once
// Questions to a nest.

#include "schedules/nest/boxes.h"
#include "schedules/nest/nest.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// First and last statement, in order of the text, that touches a tensor's elements; tensors whose spans do not meet may share
/// memory.
std::map<std::string, std::pair<int, int>> live_ranges_of(const Nest&);

/// Funcs that the outputs need.
std::set<std::string> live_funcs(const Nest&);

/// What a nest does for given sizes, counted without values.
struct NestEffect {
    std::int64_t executions = 0, loads = 0, stores = 0;
    std::int64_t storage = 0;                      // elements of intermediates, at most at one time in one place
    std::map<std::string, std::int64_t> computed;  // stores by Func
    /// Loads, stores and operators of one thread, those of all iterations of a vectorized loop together counting once, and the steps
    /// of its other loops: a count of instructions that knows no caches.
    double cost = 0;
};
NestEffect effect_of(const Nest&, const Bindings& sizes);

}  // namespace halogen
