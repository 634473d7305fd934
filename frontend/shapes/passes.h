#pragma once
// Passes over the shapes of a program, each from value to value: simplify, propagate, drop.

#include "frontend/shapes/program.h"

#include <functional>
#include <string>

namespace halogen::shapes {

/// Conditions and extents in their smallest form under the least values of the sizes alone, to a fixpoint; of conditions
/// that differ by a constant, the strongest. A condition that cannot hold refuses its path.
ShapeProgram simplify(ShapeProgram);

/// Conditions as facts about all that comes behind them: what follows is marked as proved, equal sizes become one, least
/// values rise, and a path whose conditions no sizes meet together is refused at the step where that shows.
ShapeProgram propagate(ShapeProgram);

/// Without the conditions that are proved and the paths that no sizes take.
ShapeProgram drop(ShapeProgram);

/// All of them in order. `watch` sees the program after each, with its name.
using Watch = std::function<void(const std::string& pass, const ShapeProgram&)>;
ShapeProgram shape_program(Library&, StepProgram, const Watch& watch = {});

/// The refusal of a program that no sizes make legal; nothing when some may.
std::optional<StepRefusal> refusal_of(const ShapeProgram&);

}  // namespace halogen::shapes
