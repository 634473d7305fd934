#pragma once
// Whole histories on the shadow nest, for sizes that are given: which steps it refuses, and what the nest does after each.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/nest/effect.h"
#include "schedules/nest/nest.h"

#include <string>
#include <vector>

namespace halogen {

/// A step that the nest refuses.
struct ShadowRefusal {
    Step step;  // without its nested ones
    std::string why;
};

struct ShadowRun {
    Nest nest;
    Bindings sizes;  // for `effect_of(nest, sizes)`
    std::vector<ShadowRefusal> refused;
    int done = 0;  // steps that the nest took
    int untold =
        0;  // steps on what it does not keep: hints, storage, copies in panels, partial results, branches not taken
};

/// Runs the steps on the nest of the kernel as its Funcs compute it: the equations of a stored tensor `C` give `C_value`, or a twin
/// of it that is taken at these sizes, and `C[i, j] = C_value[i, j]`; private copies are equations of their own. All sizes are
/// given by `settings`, buffers are dense. Levels come first, readers before what they read, as Halide's do not depend on their order;
/// of a specialisation the branch that holds counts.
/// Errors: as `solve`; underdetermined where a size is open; too_complex past `most_points` points of the equations; schedule: a tensor that is read
/// between two of its equations has several Funcs, which the shadow nest does not keep apart.
Result<ShadowRun> run_shadow(const Kernel&, const Solution& open, const History&, const Settings&,
                             std::int64_t most_points = 20'000'000);

/// "work 18, loads 32, stores 18, storage 5 elements; B computed 10 times": what a nest does.
std::string print(const NestEffect&);

}  // namespace halogen
