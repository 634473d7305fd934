#pragma once
// Steps that make copies and change storage. Errors of all: Failure(schedule), naming the step and the loop or Func.

#include "schedules/nest/nest.h"

namespace halogen::nesting {

void cache_reads(Nest&, const Step&);
void cache_writes(Nest&, const Step&);
void compress(Nest&, const Step&);
void rfactor(Nest&, const Step&);

}  // namespace halogen::nesting
