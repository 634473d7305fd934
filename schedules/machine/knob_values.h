#pragma once
// Decisions on the knobs of a history.

#include <cstdint>
#include <map>
#include <string>

namespace halogen {

/// Decisions by name.
using KnobValues = std::map<std::string, std::int64_t>;

}  // namespace halogen
