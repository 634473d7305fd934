#pragma once
// Which sizes near those given would fit: what an error of sizes proposes.

#include "frontend/integers/system.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// The values nearest to one given number with which, all else unchanged, there is a solution.
struct Nearest {
    std::string name;
    std::int64_t given = 0;
    std::optional<std::int64_t> below, above;
};

/// For each known number of a system without a solution; those that no change of theirs alone mends are left out.
/// Exact: found by solving with the number left open, bounded from above and from below.
std::vector<Nearest> nearest_numbers(const System&, const Bindings& known);

/// Likewise for the numbers set for a kernel, with the sizes that are to be `equal`; each proposal has been solved. One clause per
/// number, nearest first: "X.0 = 6 gives N = 3, X.0 = 8 gives N = 4".
std::vector<std::string> nearest_sizes(const Kernel&, const Settings& known, const std::vector<SizeEquality>& equal);

}  // namespace halogen
