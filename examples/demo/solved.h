#pragma once
// What the solver finds about a kernel, as formulas, and the numbers those formulas give for one call.

#include "results.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen::demo {

/// A size with where it comes from: "dim 1 of X", "given", or a formula.
struct SizeFact {
    std::string name, formula;
    std::int64_t value = 0;
    bool solved = false;  // computed from others, not read from a buffer or given
};

struct TensorFact {
    std::string name, type, role;       // role: "input", "output", "intermediate"
    std::vector<std::string> formulas;  // one per dim
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;  // of the caller's buffer; empty for an intermediate
    std::int64_t bytes = 0;
};

struct IndexFact {
    std::string name, begin, end;  // formulas of [begin, end)
    std::int64_t first = 0, extent = 0;
    bool reduced = false;
};

/// How accesses of one tensor move through memory: per index of the equation, in elements.
struct AccessFact {
    std::string text;                   // of the first of them
    int count = 1;                      // accesses that differ in their offset alone
    bool affine = true;                 // false: the place depends on data; the rest is empty then
    std::vector<std::string> formulas;  // for a dense buffer; "0" where it does not move
    std::vector<std::int64_t> strides;  // for the buffer of this call
    std::int64_t least_offset = 0, largest_offset = 0;
};

struct EquationFact {
    std::string text;
    std::vector<IndexFact> indices;
    std::vector<AccessFact> accesses;
};

struct GuardFact {
    std::string text, numbers, reason;
    bool holds = true;
};

struct Solved {
    std::string text;  // the kernel as its file has it
    std::string declaration;
    std::vector<SizeFact> sizes;
    std::vector<TensorFact> tensors;
    std::vector<EquationFact> equations;
    std::vector<GuardFact> guards;
};

/// Solves the built-in kernel of a call with every size open, and puts the call's numbers into the formulas.
/// Errors: Failure, as `parse` and `solve` give.
Solved solve_call(const Call&);

}  // namespace halogen::demo
