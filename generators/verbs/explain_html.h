#pragma once
// Drawings of `halogen explain --html`.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// The kernel with numbers for all sizes: those of `known`, usual values of parameters, and small numbers that meet the guards for what is
/// left. Nothing where none are found.
std::optional<Solution> with_example_sizes(const Kernel&, const Settings& known);

/// Per equation its index space with two neighbouring blocks of it, and what each of its accesses reaches from them: what both reach is
/// darker, places on padding are dashed. All sizes of `numbers` are numbers.
std::string projection_drawings(const Kernel&, const Solution& numbers);

/// Per equation a table: by how many elements each access moves from one value of an index to the next.
std::string stride_tables(const Kernel&, const std::vector<AccessForm>& accesses);

/// The nest, each loop a box around what it runs: threads, vectors and unrolled loops in colours of their own.
std::string nest_drawing(const std::string& nest);

/// Operations of each equation and bytes of each tensor as bars, and how many operations there are for a byte.
std::string cost_drawing(const Kernel&, const Solution& numbers);

}  // namespace halogen
