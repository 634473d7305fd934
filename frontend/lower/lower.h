#pragma once
// Equations to Halide: one Func per tensor, one stage per equation, exact ranges. Says what is computed; every loop is
// still the plain one. Tiles and targets live in schedules/.

#include "frontend/lower/lowered.h"
#include "frontend/plan/emission.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// The kernel's Funcs. `solution` is that of the kernel with every symbol open.
/// Buffers: dim d of rank r is Halide dim r-1-d; mins 0; strides free.
Lowered lower(const Kernel&, const Solution&, const Emission& = {});

/// The companion that looks for the first bad point of every data check; nothing when there is no such check.
/// One int32 output of one dim: per check the first bad point or -1.
struct LoweredCheck {
    Lowered kernel;
    std::vector<DataCheck> checks;
    std::vector<Halide::Func> searched;  // what is computed before them
    std::set<std::string>
        clamped;  // tensors of one equation each that are looked at only where sizes do not suffice for their places
    std::vector<Halide::Func> firsts;  // one per check, rank 0
    Halide::Func first_bad;
};
std::optional<LoweredCheck> lower_checks(const Kernel&, const Solution&);

}  // namespace halogen
