#pragma once
// Which plan takes least time.

#include "frontend/project/plan.h"
#include "frontend/project/predict.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// One way to split, with what it costs.
struct PricedPlan {
    Phases phases;
    Prediction prediction;
};

/// Ways to split so that `ranks` shards have work in some step, and no more in any; those that fit into `memory` bytes a shard, the
/// quickest first, of equally quick ones that which receives less. Where the points do not suffice for so many shards, the most there
/// can be. Of one phase all ways with up to three indices are looked at. Of more phases, what must be received between them counted,
/// those that can be quicker by a thousandth, as far as 600 looks at steps go: at each equation the 24 quickest beginnings are gone on
/// with, by the 8 ways that suit each equation best.
/// Errors: schedule (no index can be split, and why), overflow (memory too small for any shard).
Result<std::vector<PricedPlan>> candidates(const Kernel&, const Solution& numbers, const Cluster&, std::int64_t ranks,
                                           std::optional<double> memory = {});

/// Why the first is better than the second, in a clause: "`j=4` receives 3145728 bytes more".
std::string reason(const PricedPlan& best, const PricedPlan& other);

}  // namespace halogen
