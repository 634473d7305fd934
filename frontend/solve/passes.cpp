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
    Sizes open = open_inputs(pin_indices(equate_conditions(apply_settings(name_sizes(model), known, equal)), known));
    Sizes found = determine(find_definitions(add_constraints(require_conditions(std::move(open)))));
    Sizes solved = solve_backward(check_given(refuse_undetermined(std::move(found))), known);
    Sizes checked = check_collisions(check_or_guard(std::move(solved)));
    checked.guards = fewer_guards(std::move(checked.guards));
    return solution_of(checked);
}

}  // namespace halogen
