#pragma once
// The oracle: runs a kernel point by point in textual order, with every access checked. Slow, obviously right.

#include "frontend/error.h"
#include "frontend/host_tensor.h"
#include "frontend/program.h"
#include "frontend/solution.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace halogen {

using Tensors = std::map<std::string, HostTensor>;

/// The value of a run-time scalar: a double for float types, an int64 for all others.
using ScalarValue = std::variant<std::int64_t, double>;
using Scalars = std::map<std::string, ScalarValue>;

/// Runs `kernel`; every formula of `solution` must be a number. Gives all outputs and intermediates, dense row-major.
/// Shapes:  each input must have the extents of the solution (any strides).
/// Floats:  every operation is rounded once to f32 or f64; reductions accumulate in double and round once at the end of
///          their equation, since the notation lets them be reassociated.
/// Errors:  name (a missing input or scalar), rank, type, contradictory (an input that does not fit), index (a position
///          taken from data out of range, points that meet under `=`), overflow (i32, u32, i64 arithmetic),
///          underdetermined (the solution holds symbols).
Result<Tensors> interpret(const Kernel& kernel, const Solution& solution, const Tensors& inputs, const Scalars& scalars);

/// The same, and for each tensor and element (row-major) how far a correct evaluation may lie away from it: other
/// orders within a reduction, fused multiply-adds and the errors of the elementary functions are admitted.
struct Interpreted {
    Tensors values;
    std::map<std::string, std::vector<double>> bounds;
};
Result<Interpreted> interpret_with_bounds(const Kernel&, const Solution&, const Tensors& inputs, const Scalars&);

/// What a data check of a compiled kernel found: the equation and the row-major number of the point over the ranges of
/// `indices_of(equation)`.
struct BadPoint {
    int equation = 0;
    std::int64_t point = 0;
    bool collision = false;  // the point meets an earlier one under `=`; else a position from data is out of range
};

/// The error that `interpret` gives for that point, without running more than the point needs.
Error explain_bad_point(const Kernel&, const Solution&, const Tensors& inputs, const Scalars&, const BadPoint&);

}  // namespace halogen
