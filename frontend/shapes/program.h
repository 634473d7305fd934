#pragma once
// Programs of operators: inputs with symbolic extents, steps that use what came before. `reify` runs every shape function once,
// on symbols; what it gives is a value that the passes (passes.h) make smaller.

#include "frontend/shapes/library.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halogen::shapes {

struct Step {
    std::string out;  // the name of its results
    std::string op;
    Arguments arguments;  // tensors as references to inputs and earlier steps
};

/// The values a size may have.
struct SizeRange {
    std::int64_t least = 0;
    std::optional<std::int64_t> most;
};

struct StepProgram {
    std::map<std::string, SizeRange> symbols;  // those not listed are at least 0
    std::vector<std::pair<std::string, Operand>> inputs;
    std::vector<Step> steps;
};

/// A condition of a program and the step that states it.
struct StepGuard {
    Requirement what;
    int step = 0;
    bool proved = false;  // follows from those before it
};

/// The step at which a program is refused.
struct StepRefusal {
    Refusal refusal;
    int step = 0;
};

/// One way through a program: where a rank or a count of results depends on a size, there are several.
struct Path {
    std::vector<Predicate> assumed;             // what sets it apart from the others
    std::vector<std::vector<Operand>> results;  // of each step
    std::vector<StepGuard> guards;
    std::optional<StepRefusal> refusal;  // the program ends there, for all sizes of this path
};

/// A program's shapes as formulas over the sizes of its inputs.
struct ShapeProgram {
    StepProgram source;
    std::vector<Path> paths;
};

/// Errors: Refusal(call) for a name that no input or step has, or two have; all else stands in the paths.
ShapeProgram reify(Library&, StepProgram);

/// "conv1d `y`", for messages.
std::string name_of(const StepProgram&, int step);
/// What is known of the sizes of a program.
Knowledge knowledge_of(const StepProgram&);

}  // namespace halogen::shapes
