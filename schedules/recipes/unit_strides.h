#pragma once
// What callers' buffers must be like for the vectors of a map to be loads and stores of what lies side by side.

#include "schedules/recipes/recipes.h"

#include <optional>
#include <string>

namespace halogen::recipes {

/// Inputs that a call may give as the output too: read at the very place that is written, of its type.
Condition apart_from_inputs(const Task&);

/// The stride that a caller's tensor should have for vectors along `loop`: of the one dim that moves with it, the elements that lie
/// behind each of its places, 1 or, for `X[i, 2]` of X: f32[N, 3], 3. Nothing where any stride will do: several dims move, data
/// choose the place, or what lies behind is not known as a number. Such vectors are gathered.
/// The loop `written_out` counts as a number.
std::optional<Condition::Term> lying_along(const Task&, const Read&, const std::string& loop,
                                           const std::string& written_out = "");

/// What makes vectors along dim `dim` of the host loads and stores of what lies side by side.
Condition unit_along(const Task&, int dim);

/// Some vector along `loop` is made of elements that do not lie side by side.
bool gathers(const Task&, const std::string& loop);

}  // namespace halogen::recipes
