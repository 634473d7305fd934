#pragma once
// Tensors while the interpreter runs: their values, and what a position beyond their ends reads.

#include "frontend/interpret/host_tensor.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen::interpreting {

/// One value; which member holds it follows from the static type.
struct Value {
    double real = 0;
    std::int64_t integer = 0;
    double error = 0;  // with Scope::bounds: how far another correct evaluation may lie away
};

/// A tensor while the kernel runs: dense row-major; the vector of its type's kind is in use.
struct Cells {
    std::string name;
    Type type = Type::f32;
    std::vector<std::int64_t> extents, strides;
    std::vector<std::int64_t> pad_low, pad_high;
    Boundary::Mode mode = Boundary::Mode::none;
    Value outside;  // what Mode::constant, lowest and highest read
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<double> errors;  // per cell, with Scope::bounds

    std::int64_t low(std::size_t dim) const { return -pad_low[dim]; }
    std::int64_t high(std::size_t dim) const { return extents[dim] + pad_high[dim]; }
    Value load(std::int64_t cell) const {
        Value v = is_float(type) ? Value{reals[cell], 0} : Value{0, integers[cell]};
        if (!errors.empty()) v.error = errors[cell];
        return v;
    }
};

/// An input's values and its boundary, ready to be read. Errors: Failure(type, rank, contradictory) where it does not fit.
Cells input_cells(const Solution&, const Tensor&, const HostTensor&);
/// An output or intermediate before its first equation, which reduces by `first`.
Cells blank_cells(const Solution&, const Tensor&, Op first);
/// The values when all equations have run.
HostTensor tensor_of(const Cells&);

/// Where a position outside [0, n) reads from, -1 for a constant; positions inside stay.
std::int64_t fold_position(Boundary::Mode, std::int64_t position, std::int64_t n);
/// The cell at checked places inside the tensor; -1 when a constant boundary stands there.
std::int64_t cell_of(const Cells&, const std::vector<std::int64_t>& places);

/// The number a solved formula stands for. Errors: Failure(underdetermined).
std::int64_t number(const Formula&);

}  // namespace halogen::interpreting
