#pragma once
// `halogen shard --json`.

#include "frontend/project/planner.h"

#include <nlohmann/json.hpp>

namespace halogen {

/// {"kernel", "key", "splits": [{"index", "shards"}], "text"}, with several phases
/// "phases": [{"from", "splits"}] for "splits"; `text` is the plan as a file holds it.
nlohmann::ordered_json plan_json(const ShardPlan&);

/// An array of {"index", "equation", "role", "dim" or "combine" or "reason"}, equations from 1.
nlohmann::ordered_json roles_json(const Kernel&, const Solution&);

/// An array, per step {"equations", "cuts", "results", "windows", "halos", "volume"}, formulas as strings; where all sizes are
/// numbers also "shards", the windows and volumes of each of the first 64.
nlohmann::ordered_json steps_json(const Kernel&, const Solution&, const std::vector<ShardStep>&);

nlohmann::ordered_json prediction_json(const Prediction&);
nlohmann::ordered_json candidates_json(const std::vector<PricedPlan>&);

}  // namespace halogen
