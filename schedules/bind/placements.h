#pragma once
// Where Funcs are computed, seen over a whole history: what later steps may still change is asked at the end.

#include "frontend/lower/lower.h"
#include "schedules/history/history.h"
#include "schedules/state/state.h"

#include <optional>
#include <string>

namespace halogen {

/// A step that the whole history makes impossible, and why: later steps may still place what it depends on.
struct Impossible {
    const Step* step;
    std::string why;
    std::string fix;
};
std::optional<Impossible> impossible_step(const History&, Lowered&, const ScheduleState&);

}  // namespace halogen
