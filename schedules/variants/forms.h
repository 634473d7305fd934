#pragma once
// A kernel as one of its variants computes it.

#include "frontend/notation/program.h"
#include "frontend/plan/merged.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include <optional>

namespace halogen {

/// A kernel as one variant computes it: with sizes that its facts give as numbers, and dims that run on as one.
struct Form {
    Kernel kernel;
    Solution solution;
    DimRuns runs = {};  // of the kernel as it is written; empty where no dims are merged
};
/// Errors: Failure, what `solve` gives under the variant's sizes; schedule (no dims of the kernel can be merged).
Form form_of(const Kernel&, const Solution& open, const Variant&);

/// Whether some equations of the kernel are rewritten for calls of which so much is known.
bool is_rewritten(const Kernel&, const Solution& open, const Facts& = {});

}  // namespace halogen
