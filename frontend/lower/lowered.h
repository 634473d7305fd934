#pragma once
// A kernel as Halide Funcs: what `lower` gives.

#include "frontend/notation/program.h"
#include "frontend/plan/condition.h"

#include "Halide.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// What Halide is told that a loop is called. It makes names of its own from a loop's ("x.min"; the simplifier "x.s"), which are
/// those of the loops that a split of `x` makes (`x -> xo, s`), and then mistakes one for the other. Such a loop gets a "$".
std::string halide_name(const std::string& loop);
/// The loop that Halide calls so, without the path of splits that led to it.
std::string loop_of(const std::string& halide);

/// A Func of a lowered kernel and the loops of its stages (0 is the pure definition) by name.
struct LoweredFunc {
    enum class Kind { output, stored, value, padded, copy };
    std::string name;    // "C" (what is stored), "C_value" (what the equations compute), "X_pad", a CopyIn's name
    std::string tensor;  // the tensor it stands for
    Kind kind = Kind::value;
    Halide::Func func;
    std::vector<std::string> dims;      // names of the pure loops, in the order of the tensor's dims
    std::vector<Halide::Expr> extents;  // per dim; a padded Func's mins are below 0
    std::vector<std::map<std::string, Halide::VarOrRVar>> stages;
    std::vector<int> equations;  // per stage the equation, or -1
    /// Where stages are sliced: per stage the one that it is a part of, as steps count them; -1: it computes nothing.
    std::vector<int> step_stages = {};
    /// Loops that may run past their ends: whole tiles are computed, and asked of what they read.
    std::set<std::string> overcomputed = {};
    /// RVars of its stages whose iterations know nothing of each other (see unordered_loops).
    std::set<std::string> unordered = {};

    int step_stage(std::size_t stage) const {
        return step_stages.empty() ? static_cast<int>(stage) : step_stages[stage];
    }
    /// A part of a pure definition whose loops were given the order of the definition's.
    bool ordered(std::size_t stage) const { return stage > 0 && step_stage(stage) == 0 && dims.size() > 1; }
};

/// A condition on data (see schedules/bind/bind.h).
struct DataCheck {
    enum class Kind { in_range, no_collision };
    Kind kind = Kind::in_range;
    int equation = 0;
    std::string tensor;                // the tensor that is indexed by data
    int dim = 0;                       // -1: points meet by predicates, not by data in a place
    std::string index_text;            // the data expression as written: "I[n]"; with dim -1 the whole left side
    std::vector<std::string> indices;  // a point is a row-major number over these indices' ranges (Solution::indices)
};

struct Lowered {
    std::vector<Halide::Argument> arguments;  // kernel parameters in declared order, then extent arguments
    std::vector<LoweredFunc> funcs;           // producers before consumers
    std::vector<std::string> outputs;         // names of output Funcs, declared order
    std::map<std::string, Halide::Expr> symbols;
    std::map<std::string, Halide::ImageParam> images;
    std::map<std::string, Halide::Func> output_funcs;  // defined or not yet: conditions ask for their strides

    LoweredFunc* find(const std::string& name);
    Halide::Expr stride(const std::string& tensor, int dim) const;  // of an input's or output's buffer
    Halide::Expr address(const std::string& tensor) const;          // where it begins: of an input or output
    /// As a boolean Expr.
    Halide::Expr evaluate(const Condition&) const;

private:
    Halide::Expr evaluate(const Condition::Term&) const;
};

}  // namespace halogen
