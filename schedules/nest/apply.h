#pragma once
// Steps on the shadow nest. Each kind checks what it needs and gives the reason where it refuses.

#include "schedules/nest/nest.h"

#include <string>
#include <vector>

namespace halogen {

/// The nest after one step; `nest` itself never changes, so that a refused step leaves nothing behind.
/// Errors: schedule, naming the step, the loop or Func, and the dependence where it is one.
Result<Nest> apply_to_nest(const Nest& nest, const Step&);
/// All steps in order; the first that is refused ends it.
Result<Nest> apply_to_nest(const Nest& nest, const std::vector<Step>&);
/// True for kinds that the shadow nest carries out (others are taken without effect).
bool changes_nest(StepKind);

}  // namespace halogen
