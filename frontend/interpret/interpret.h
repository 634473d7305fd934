#pragma once
// The oracle: runs a kernel point by point in textual order, with every access checked. Slow, obviously right.

#include "frontend/base/error.h"
#include "frontend/interpret/tensors.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace halogen {

/// Runs `kernel`; every formula of `solution` must be a number. Gives all outputs and intermediates, dense row-major.
/// Shapes:  each input must have the extents of the solution (any strides).
/// Floats:  every operation is rounded once to f32 or f64; reductions accumulate in double and round once at the end of
///          their equation, since the notation lets them be reassociated.
/// Errors:  name (a missing input or scalar), rank, type, contradictory (an input that does not fit), index (a position
///          taken from data out of range, points that meet under `=`), overflow (i32, u32, i64 arithmetic),
///          underdetermined (the solution holds symbols).
Result<Tensors> interpret(const Kernel& kernel, const Solution& solution, const Tensors& inputs,
                          const Scalars& scalars);

/// The same, and for each tensor and element (row-major) how far a correct evaluation may lie away from it: other
/// orders within a reduction, fused multiply-adds and the errors of the elementary functions are admitted.
struct Interpreted {
    Tensors values;
    std::map<std::string, std::vector<double>> bounds;
};
Result<Interpreted> interpret_with_bounds(const Kernel&, const Solution&, const Tensors& inputs, const Scalars&);

/// What a data check of a compiled kernel found.
struct BadPoint {
    int equation = 0;
    std::vector<std::string> indices;  // those that matter
    std::int64_t point = 0;            // row-major number over their ranges
    bool collision = false;  // two points of the equation meet under `=`; else a position is out of range there
};

/// The error that `interpret` gives there, without running more than it needs.
Error explain_bad_point(const Kernel&, const Solution&, const Tensors& inputs, const Scalars&, const BadPoint&);

}  // namespace halogen
