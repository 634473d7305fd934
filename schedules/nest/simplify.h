#pragma once
// Conditions that the ranges of the loops decide.

#include "schedules/nest/nest.h"

namespace halogen {

/// `select(i < 5, a, b)` is `a` where the loops keep i below 5, and `b` where they keep it at 5 or more.
void drop_decided_conditions(Nest&);

}  // namespace halogen
