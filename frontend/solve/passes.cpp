#include "frontend/solve/passes.h"

#include "frontend/solve/assemble.h"
#include "frontend/solve/backward.h"
#include "frontend/solve/collisions.h"
#include "frontend/solve/conditions.h"
#include "frontend/solve/constraints.h"
#include "frontend/solve/definitions.h"
#include "frontend/solve/extents.h"
#include "frontend/solve/fewer_guards.h"
#include "frontend/solve/given.h"
#include "frontend/solve/guards.h"
#include "frontend/solve/inputs.h"
#include "frontend/solve/names.h"
#include "frontend/solve/pins.h"
#include "frontend/solve/settings.h"
#include "frontend/solve/undetermined.h"

namespace halogen {

Solution solve_sizes(const Kernel& kernel, const Settings& known, const std::vector<SizeEquality>& equal) {
    const KernelModel model(kernel);
    Sizes sizes = name_sizes(model);
    sizes = apply_settings(std::move(sizes), known, equal);
    sizes = equate_conditions(std::move(sizes));
    sizes = pin_indices(std::move(sizes), known);
    sizes = open_inputs(std::move(sizes));
    sizes = require_conditions(std::move(sizes));
    sizes = add_constraints(std::move(sizes));
    sizes = find_definitions(std::move(sizes));
    sizes = determine(std::move(sizes));
    sizes = refuse_undetermined(std::move(sizes));
    sizes = check_given(std::move(sizes));
    sizes = solve_backward(std::move(sizes), known);
    sizes = check_or_guard(std::move(sizes));
    sizes = check_collisions(std::move(sizes));
    sizes.guards = fewer_guards(std::move(sizes.guards));
    return solution_of(sizes);
}

}  // namespace halogen
