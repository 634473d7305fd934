#include "schedules/history/step.h"

namespace halogen {

std::string to_string(Tail tail) {
    switch (tail) {
    case Tail::exact: return "exact";
    case Tail::guard: return "guard";
    case Tail::predicate: return "predicate";
    case Tail::round_up: return "round_up";
    case Tail::shift_inwards: return "shift_inwards";
    default: return "separate";
    }
}

}  // namespace halogen
