#pragma once
// Intermediates that lie where the output goes.

#include "Halide.h"

#include <string>
#include <vector>

namespace halogen {

/// Adds a pass to `pipeline` that lets a row of an intermediate lie where the row of an output goes that is made of it last, element by
/// element: `E[b, n] = exp(X[b, n]); S[b] += E[b, n]; Y[b, n] = E[b, n]/S[b]`. The last loop then finds its lines in the cache, where it
/// would wait for memory to write to. (Softmax of rows of 30522 on Zen 4: 23 cycles for 16 elements, and 17.)
void use_output_memory(Halide::Pipeline& pipeline, const std::vector<Halide::Func>& outputs);
/// The statement, with those intermediates in the memory of the outputs with these names.
Halide::Internal::Stmt with_output_memory(const Halide::Internal::Stmt&, const std::vector<std::string>& outputs);

}  // namespace halogen
