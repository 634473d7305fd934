#pragma once
// How long calls take, side by side.

#include <functional>
#include <vector>

namespace halogen::demo {

/// The least time of one call of each, in ns. Each is warmed up for 30 ms; then batches of about 5 ms take turns, so that
/// what the machine does meanwhile meets all alike, until each has run for 0.2 s; the best batch counts.
std::vector<double> time_in_turns(const std::vector<std::function<void()>>& calls);

}  // namespace halogen::demo
