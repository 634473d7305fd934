#pragma once
// The Halide target of one leg for one kernel.

#include "frontend/notation/program.h"
#include "schedules/machine/machine.h"

#include <string>

namespace halogen {

/// True where the kernel computes with the infinities of a padding: `Y[i] += X[i + k]` of `X: f32[N pad 1] else lowest`, not
/// `Y[i] max= X[i + k]`, which passes them on. A cast to f16 makes infinities of constants beyond the halves.
bool computes_with_infinities(const Kernel&);

/// The leg's target; with `strict_float` where the kernel computes with infinities, for LLVM takes it for granted that the results
/// of its fast arithmetic are finite, and what is known to be infinite becomes any number.
std::string target_of(const Leg&, const Kernel&);

}  // namespace halogen
