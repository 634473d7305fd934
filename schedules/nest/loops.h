#pragma once
// Steps that change loops: split, tile, fuse, slice, reorder, rename, normalize. Errors of all: Failure(schedule), naming the step and the loop or Func.

#include "schedules/nest/nest.h"

namespace halogen::nesting {

void split(Nest&, const Step&);
void tile(Nest&, const Step&);
void fuse(Nest&, const Step&);
void slice(Nest&, const Step&);
void reorder(Nest&, const Step&);
void rename(Nest&, const Step&);
void normalize(Nest&, const Step&);

}  // namespace halogen::nesting
