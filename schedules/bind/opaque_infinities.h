#pragma once
// Infinities that are computed with.

#include "Halide.h"

#include <vector>

namespace halogen {

/// Lets a pipeline compute with its literal infinities: those of a padding by the lowest value, of a `min=` over nothing. LLVM takes
/// it for granted that the results of fast arithmetic are finite, and puts any number for one that it knows to be infinite; so it
/// is not shown which literals are. In code that casts to f16, where constants from 65520 on are infinite, these are hidden too.
void hide_infinities(Halide::Pipeline&, const std::vector<Halide::Func>& outputs);

}  // namespace halogen
