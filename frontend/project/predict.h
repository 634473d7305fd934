#pragma once
// How long a plan takes on a cluster, and which plan takes least.

#include "frontend/project/cluster.h"
#include "frontend/project/plan.h"
#include "frontend/project/volume.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// Of the shard that has most to do. Units: seconds, bytes.
struct Prediction {
    std::int64_t shards = 1;
    double compute = 0;   // the larger of operations by flops and bytes by memory, steps added up
    double exchange = 0;  // bytes received by link and messages by latency
    double operations = 0, moved = 0, received = 0, memory = 0;
    double seconds() const { return compute + exchange; }
};

/// Up to 8 shards each is looked at, beyond them the first, the last and some in the middle of every cut. All sizes of the solution are
/// numbers.
Prediction predict(const Kernel&, const Solution& numbers, const std::vector<ShardStep>&, const Cluster&);

/// One way to split, with what it costs.
struct Candidate {
    std::vector<Split> splits;
    Prediction prediction;
};

/// All ways to split up to three indices so that `ranks` shards have work in some step, and no more in any; those that fit into
/// `memory` bytes a shard, the quickest first, of equally quick ones that which receives less. Where the points do not suffice for
/// so many shards, the most there can be.
/// Errors: schedule (no index can be split, and why), overflow (memory too small for any shard).
Result<std::vector<Candidate>> candidates(const Kernel&, const Solution& numbers, const Cluster&, std::int64_t ranks,
                                          std::optional<double> memory = {});

/// Why the first is better than the second, in a clause: "`j=4` receives 3145728 bytes more".
std::string reason(const Candidate& best, const Candidate& other);

/// "i=2,j=2"; "no split" without any.
std::string print(const std::vector<Split>&);

}  // namespace halogen
