#pragma once
// Equations to Halide: one Func per tensor, one stage per equation, exact ranges. Says what is computed; every loop is
// still the plain one. Tiles and targets live in schedules/.

#include "frontend/lower/condition.h"
#include "frontend/program.h"
#include "frontend/solution.h"

#include "Halide.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A private copy of `tensor` as one Func's equations read it: same places, dense storage of its own, read where `when` holds.
struct CopyIn {
    std::string tensor;
    std::string reader;  // a Func's name
    std::string name;    // of the copy
    Condition when;
    friend bool operator==(const CopyIn&, const CopyIn&) = default;
};
/// `func` may be computed past the end of `index`: what it reads is clamped to the range where it enters.
struct Overcompute {
    std::string func;
    std::string index;
    friend bool operator==(const Overcompute&, const Overcompute&) = default;
};
/// What a history changes in the equations themselves.
struct Emission {
    std::vector<CopyIn> copies;
    std::vector<Overcompute> overcomputes;
};

/// A Func of a lowered kernel and the loops of its stages (0 is the pure definition) by name.
struct LoweredFunc {
    enum class Kind { output, value, padded, copy };
    std::string name;    // "C" (the output copy), "C_value" (what the equations compute), "X_pad", a CopyIn's name
    std::string tensor;  // the tensor it stands for
    Kind kind = Kind::value;
    Halide::Func func;
    std::vector<std::string> dims;                           // names of the pure loops, in the order of the tensor's dims
    std::vector<Halide::Expr> extents;                       // per dim; a padded Func's mins are below 0
    std::vector<std::map<std::string, Halide::VarOrRVar>> stages;
    std::vector<int> equations;                              // per stage the equation, or -1
};

/// A condition on data (see schedules/bind.h).
struct DataCheck {
    enum class Kind { in_range, no_collision };
    Kind kind = Kind::in_range;
    int equation = 0;
    std::string tensor;                // the tensor that is indexed by data
    int dim = 0;
    std::string index_text;            // the data expression as written: "I[n]"
    std::vector<std::string> indices;  // a point is a row-major number over these indices' ranges (Solution::indices)
};

struct Lowered {
    std::vector<Halide::Argument> arguments;  // kernel parameters in declared order
    std::vector<LoweredFunc> funcs;           // producers before consumers
    std::vector<std::string> outputs;         // names of output Funcs, declared order
    std::map<std::string, Halide::Expr> symbols;
    std::map<std::string, Halide::ImageParam> images;

    LoweredFunc* find(const std::string& name);
    Halide::Expr evaluate(const Condition&) const;  // as a boolean Expr; strides of inputs and outputs
};

/// The kernel's Funcs. `solution` is that of the kernel with every symbol open.
/// Buffers: dim d of rank r is Halide dim r-1-d; mins 0; strides free.
Lowered lower(const Kernel&, const Solution&, const Emission& = {});

/// The companion that looks for the first bad point of every data check; nothing when there is no such check.
/// One int32 output of one dim: per check the first bad point or -1.
struct LoweredCheck {
    Lowered kernel;
    std::vector<DataCheck> checks;
    std::vector<Halide::Func> firsts;  // one per check, rank 0
    Halide::Func first_bad;
};
std::optional<LoweredCheck> lower_checks(const Kernel&, const Solution&);

/// A Func of values as `lower` makes it, known without Halide: per stage its equation, -1 for a plain start value.
/// A tensor has several where another tensor's equation reads it between two of its own.
struct ValueFunc {
    std::string name;
    std::string tensor;
    std::vector<std::string> dims;  // names of the pure loops
    std::vector<int> equations;
};
std::vector<ValueFunc> value_funcs(const Kernel&, const Solution&);

/// The names of the Funcs `lower` makes: "Y_value" for what equations of Y compute, "X_pad".
std::string value_name(const Kernel&, const std::string& tensor);
std::string padded_name(const Kernel&, const std::string& tensor);

}  // namespace halogen
