#pragma once
// What a nest costs.

#include "schedules/nest/nest.h"

#include <cstdint>
#include <map>
#include <string>

namespace halogen {

/// What a nest does for given sizes, counted without values.
struct NestEffect {
    std::int64_t executions = 0, loads = 0, stores = 0;
    std::int64_t storage = 0;                      // elements of intermediates, at most at one time in one place
    std::map<std::string, std::int64_t> computed;  // stores by Func
    /// Loads, stores and operators of one thread, those of all iterations of a vectorized loop together counting once, and the steps
    /// of its other loops: a count of instructions that knows no caches.
    double cost = 0;
    bool is_whole = true;  // counted to the end
};
/// Steps of loops that are counted: tiles far wider than the sizes take many without points.
constexpr std::int64_t most_loop_steps = 500'000;
NestEffect effect_of(const Nest&, const Bindings& sizes);

}  // namespace halogen
