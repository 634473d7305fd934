#pragma once
// Scaling on paper: what the planner's choice costs as ranks grow.

#include "frontend/project/planner.h"
#include "frontend/solve/solution.h"

#include <string>
#include <vector>

namespace halogen {

struct ScalePoint {
    std::int64_t ranks = 1;
    PricedPlan best;
    double efficiency = 1;  // of one rank's time, what the ranks make good: 1 where nothing is lost
};

/// The best plan for 1, 2, 4, … ranks up to `most`, or as far as there are points for that many shards. With `grown`, a size of the kernel, that
/// size is multiplied by the number of ranks (weak scaling: as much work for each); without it the sizes stay (strong scaling).
/// Errors: those of `solve`; underdetermined (a size is open), name (`grown` is no size that is given); those of `candidates`.
Result<std::vector<ScalePoint>> scaling(const Kernel&, const Settings&, const Cluster&, std::int64_t most,
                                        const std::string& grown = "");

/// A line for each number of ranks: the split, seconds, efficiency, the share of exchange, bytes received and held.
std::string report_scaling(const std::vector<ScalePoint>&);

}  // namespace halogen
