#pragma once
// Sizes tried out: they show at once that conditions may hold, or do not follow. They never prove that one holds.

#include "frontend/shapes/program.h"

#include <vector>

namespace halogen::shapes {

struct Tried {
    bool possible = false;          // some sizes meet all conditions of the path
    std::vector<bool> independent;  // of each guard: some sizes meet all others that are not proved, but not it
};
Tried try_sizes(const StepProgram&, const Path&);

}  // namespace halogen::shapes
