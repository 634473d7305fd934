#pragma once
// What the header of a compiled kernel is written from.

#include "frontend/notation/program.h"
#include "frontend/plan/value_funcs.h"
#include "frontend/solve/solution.h"
#include "schedules/bind/bind.h"
#include "schedules/recipes/recipe.h"
#include "schedules/variants/variants.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// One leg of the library a header is for.
struct CompiledLeg {
    std::string name;          // "avx2"
    std::string symbol;        // "halogen_conv2d_avx2"; the code takes its arguments as an array under symbol + "_argv"
    std::string check_symbol;  // of the companion that looks at the data; "" when there is none
    bool needs_sse4a = false;
    std::string reversed_symbol;  // of the kernel with its dims reversed; "" when there is none
    std::vector<std::string>
        variants;  // symbols of the variants before the one that serves every call; "" where it has none
};

/// What a compiled function takes: names in its order, and those of them that are extents of outputs.
struct ArgumentList {
    std::vector<std::string> names;
    std::vector<ExtentArgument> extents;  // dims as the kernel has them
};

/// A variant that is called where its facts hold.
struct CompiledVariant {
    Variant variant;
    Form form;
    ArgumentList arguments;
};

struct HeaderInput {
    const Kernel& kernel;
    const Solution& solution;
    std::string name;  // of the function object in halogen::kernels
    ArgumentList arguments;
    ArgumentList reversed_arguments;  // of the legs' code for the kernel with its dims reversed
    std::vector<DataCheck> checks;
    std::vector<CompiledLeg> legs;              // best first
    std::vector<std::pair<int, int>> in_place;  // input, output: indices among the inputs and among the outputs
    const BufferOrders& orders;
    const std::vector<CompiledVariant>& variants;  // as calls are offered them, without the last, which serves all
};

}  // namespace halogen
