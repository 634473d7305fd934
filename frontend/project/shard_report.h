#pragma once
// Shards as a person would like to read them.

#include "frontend/project/planner.h"

#include <string>
#include <vector>

namespace halogen {

/// Per index and equation what a split of it does: "n  independent in 2, 4; partial results, combined by max, in 1".
std::string report_roles(const Kernel&, const Solution&);

/// Per equation what a block of its left side's indices touches by each access: "X[n, T*y + r]  [n.first, ...] x [T*y.first, ...]", and how many
/// elements where the box has holes.
std::string report_projections(const Kernel&, const Solution&);

/// Per step its equations, cuts, windows, halos and volumes as formulas over `i.first` and `i.count`; where all sizes are numbers,
/// the volumes of the first shards too.
std::string report_steps(const Kernel&, const Solution&, const std::vector<ShardStep>&);

/// "4 shards: 1.2e-05 s, computing 1e-05 s, exchanging 2e-06 s; at most 65536 bytes each, 4096 received".
std::string report_prediction(const Prediction&);

/// The best, and up to four others each with the reason why it is not.
std::string report_candidates(const std::vector<PricedPlan>&);

/// "C = 4, H = 18": every size with a name.
std::string sizes_text(const Solution&);

/// True when no size is left open.
bool is_number(const Solution&);

/// `text` as comment lines, which a plan may hold.
std::string commented(const std::string& text);

}  // namespace halogen
