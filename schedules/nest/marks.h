#pragma once
// Steps that say how a loop runs: vectorize, parallel, serial, unroll, atomic. Errors of all: Failure(schedule), naming the step and the loop or Func.

#include "schedules/nest/nest.h"

namespace halogen::nesting {

void vectorize(Nest&, const Step&);
void parallel(Nest&, const Step&);
void serial(Nest&, const Step&);
void unroll(Nest&, const Step&);
void atomic(Nest&, const Step&);

}  // namespace halogen::nesting
