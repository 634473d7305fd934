#pragma once
// Loops that are vectors or written out, and whose iterations no number counts.

#include "frontend/lower/lowered.h"
#include "frontend/solve/solution.h"
#include "schedules/bind/placements.h"
#include "schedules/history/history.h"
#include "schedules/state/state.h"

#include <optional>

namespace halogen {

/// The step that makes a vector of a loop with a symbolic number of iterations, or writes it out: of the dims of outputs and of what is reduced,
/// and of what splits make of them. (How much of another Func its readers ask for, Halide alone finds.)
std::optional<Impossible> symbolic_loop(const History&, const Solution&, const Lowered&, const ScheduleState&);

}  // namespace halogen
