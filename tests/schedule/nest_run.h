#pragma once
// The shadow nest interpreted: every statement at every point its loops give, in their order, with every access checked and
// storage that starts out with values nobody would write.

#include "frontend/interpret/interpret.h"
#include "schedules/nest/nest.h"

#include <cstdint>

namespace halogen {

struct NestOutcome {
    Tensors outputs;
    std::int64_t executions = 0;  // of statements, starts included
    std::int64_t loads = 0, stores = 0;
};

/// All formulas of `nest` must be numbers once `sizes` are put in. Shapes and types as `interpret`.
/// Errors: index (an access outside its storage), those of `interpret`.
Result<NestOutcome> run_nest(const Nest& nest, const Bindings& sizes, const Tensors& inputs, const Scalars& = {});

}  // namespace halogen
