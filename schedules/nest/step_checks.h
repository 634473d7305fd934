#pragma once
// What steps on the shadow nest ask before they change it.

#include "schedules/nest/nest.h"

#include <string>
#include <vector>

namespace halogen::nesting {

/// The loops a step means by `name`. Errors: Failure(schedule): none, or one that an earlier step removed.
std::vector<int> loops_of(const Nest&, const Step&, const std::string& name);
/// The new names of a step are free around its statements.
void check_new_names(const Nest&, const Step&);
/// Storage in a loop, or at places that follow it, would lose its loop: such a loop is neither cut, copied nor moved.
void check_free_of_storage(const Nest&, const Step&, const NestLoop&);
/// The Func of a step writes its own tensor, and nobody else does: no copy stands between.
void check_writes_itself(const Nest&, const Step&);
/// Marks a handle as gone.
void remove_handle(Nest&, const Step&, const std::string& name);

}  // namespace halogen::nesting
