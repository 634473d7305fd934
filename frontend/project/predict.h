#pragma once
// How long a plan takes on a cluster.

#include "frontend/project/cluster.h"
#include "frontend/project/volume.h"

#include <vector>

namespace halogen {

/// Of the rank that has most to do, step by step: the others wait for it. Units: seconds, bytes.
struct Prediction {
    std::int64_t shards = 1;
    double compute = 0;   // the larger of operations by flops and bytes by memory, steps added up
    double exchange = 0;  // bytes received by link and messages by latency
    double operations = 0, moved = 0, received = 0, memory = 0;
    double seconds() const { return compute + exchange; }
};

/// Up to 8 ranks are looked at in each step, of more the first, the last and some in the middle of every cut. All sizes of the solution
/// are numbers.
Prediction predict(const Kernel&, const Solution& numbers, const std::vector<ShardStep>&, const Cluster&);

/// Up to so many ranks are looked at.
inline constexpr std::int64_t usual_looks = 8;

/// Of one step; later steps do not count, but for `ranks` where they have more shards.
Prediction predict_step(const Kernel&, const Solution& numbers, const std::vector<ShardStep>&, int number,
                        const Cluster&, std::int64_t ranks = 1, std::int64_t looks = usual_looks);

/// One step after the other.
Prediction operator+(const Prediction&, const Prediction&);

}  // namespace halogen
