#pragma once
// Of guards that imply each other the fewest.

#include "frontend/solve/solution.h"

#include <vector>

namespace halogen {

/// Of 3 <= N and 5 <= N the second stays; linear ones that the others imply are dropped, by the exact engine. "Or where the
/// extent is 0" is dropped from a guard where the others keep that extent above 0.
std::vector<Guard> fewer_guards(std::vector<Guard>);

}  // namespace halogen
