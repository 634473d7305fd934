#pragma once
// Steps that place a producer in the loops of its readers. Errors of all: Failure(schedule), naming the step and the loop or Func.

#include "schedules/nest/nest.h"

namespace halogen::nesting {

void compute_inline(Nest&, const Step&);
void compute_at(Nest&, const Step&);
void compute_root(Nest&, const Step&);

}  // namespace halogen::nesting
