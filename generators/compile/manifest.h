#pragma once
// The manifest of a compiled kernel: what the library holds, as JSON.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "generators/compile/report.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// `estimates`: of this kernel's sizes. `in_place`: input, output, as indices among the inputs and the outputs.
std::string emit_manifest(const Kernel&, const Solution&, const CompileReport&,
                          const std::map<std::string, std::int64_t>& estimates, const CompileOptions&,
                          const std::vector<std::pair<int, int>>& in_place);

}  // namespace halogen
