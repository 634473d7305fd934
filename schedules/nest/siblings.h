#pragma once
// Steps on neighbouring loops. Errors of all: Failure(schedule), naming the step and the loop or Func.

#include "schedules/nest/nest.h"

namespace halogen::nesting {

void distribute(Nest&, const Step&);
void fuse_siblings(Nest&, const Step&);

}  // namespace halogen::nesting
