#pragma once
// Other values for the symbols of a nest.

#include "schedules/nest/nest.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// Replaces symbols in all bounds, guards, index values and expressions below.
void substitute(std::vector<NestNode>&, const std::map<std::string, Formula>&);
/// Gives all loops below new ids, so that a copy can stand beside its original.
void renumber(Nest&, std::vector<NestNode>&);

}  // namespace halogen
