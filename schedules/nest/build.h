#pragma once
// The nest that a kernel has before any step.

#include "schedules/nest/nest.h"

namespace halogen {

/// The plain nest of a kernel: per tensor a start where one is needed, then its equations in textual order, each in loops
/// of its own named as its indices. A tensor's name is its Func's.
Nest build_nest(const Kernel&, const Solution&);

}  // namespace halogen
