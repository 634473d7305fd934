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

/// A private copy of `tensor` as one Func's equations read it: the same places, dense storage of its own; of a tensor that is
/// itself computed (in one go, before its readers) a second computation of its values. With a `panel`, for inputs alone,
/// dim `panel_dim` is stored in panels of that many elements, each contiguous: the layout a register tile streams through.
struct CopyIn {
    std::string tensor;
    std::string reader;  // a Func's name
    std::string name;    // of the copy
    int panel_dim = -1;
    int panel = 0;
    bool stored = false;  // what is computed is copied, not computed again; a stored Func as reader means its values
    friend bool operator==(const CopyIn&, const CopyIn&) = default;
};
/// Stage `stage` of `func` computes its values into a Func `name` and takes them from there: an assignment as they are, a
/// reduction adds them up in `name` first, from the neutral value on.
struct CopyOut {
    std::string func;
    int stage = 0;
    std::string name;
    friend bool operator==(const CopyOut&, const CopyOut&) = default;
};
/// The values of stored Func `stored` computed a second way, by Func `name`, and taken from there where `when` holds.
struct Twin {
    std::string stored;
    std::string name;
    Condition when;
    friend bool operator==(const Twin&, const Twin&) = default;
};
/// `func` may be computed past the end of `index`: what it reads is clamped to the range where it enters.
struct Overcompute {
    std::string func;
    std::string index;
    friend bool operator==(const Overcompute&, const Overcompute&) = default;
};
/// The points of a reduction in `func` at which `tensor` is read beyond its extent in dim `dim` are left out: what lies there
/// is known to add nothing.
struct Skip {
    std::string func;
    std::string tensor;
    int dim = 0;
    friend bool operator==(const Skip&, const Skip&) = default;
};
/// Update `stage` of `func` reduces over its loop `loop` in `vectors` vectors of `lanes` partial results each, held by Func
/// `name`, and one more stage takes what is too short for a vector. The pieces, with n points of the loop:
///   name(…, u, l) op= the value at point b * vectors * lanes + u * lanes + l, for each whole block b
///   name(…, 0, l) op= the value at the points left, a vector at a time; the last vector ends at the last point and leaves
///                     out those it meets again
///   name(…, 0, l) op= name(…, u, l) for u >= 1
///   func(…) op= name(…, 0, l)     update `stage`
///   func(…) op= all n points      update `stage` + 1, where n < lanes; the first two pieces are empty then
/// Loops of the partial Func: `name`_u and `name`_l besides those of the stage; `loop` counts blocks or vectors; the fold's
/// reduced loop is `name`_fold. That of update `stage` is `name`_l.
struct Partial {
    std::string func;
    int stage = 0;
    std::string loop;
    std::string name;
    int lanes = 1;
    int vectors = 1;
    friend bool operator==(const Partial&, const Partial&) = default;
};
/// Stage `stage` of `func` as consecutive stages over the two parts of loop `loop`: `first` and `second`. head: the first
/// `points` iterations, then the others; tail: the others, then the last `points`; blocks: as many whole blocks of `points`
/// as there are, then what is left. All other loops keep their names in both. A pure definition becomes one that computes
/// nothing and an update for each part. A stored Func takes the values of its later parts from computations of their own,
/// `T_value_b` for part `b`.
struct Slice {
    enum class Kind { head, tail, blocks } kind = Kind::head;
    std::string func;
    int stage = 0;
    std::string loop, first, second;
    std::int64_t points = 1;
    friend bool operator==(const Slice&, const Slice&) = default;
};
/// What a history changes in the equations themselves.
struct Emission {
    std::vector<CopyIn> copies;
    std::vector<Twin> twins;
    std::vector<Overcompute> overcomputes;
    std::vector<Skip> skips;
    std::vector<Partial> partials;
    std::vector<CopyOut> copies_out;
    std::vector<Slice> slices;
};

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

    int step_stage(std::size_t stage) const {
        return step_stages.empty() ? static_cast<int>(stage) : step_stages[stage];
    }
    /// A part of a pure definition whose loops were given the order of the definition's.
    bool ordered(std::size_t stage) const { return stage > 0 && step_stage(stage) == 0 && dims.size() > 1; }
};

/// A condition on data (see schedules/bind.h).
struct DataCheck {
    enum class Kind { in_range, no_collision };
    Kind kind = Kind::in_range;
    int equation = 0;
    std::string tensor;  // the tensor that is indexed by data
    int dim = 0;
    std::string index_text;            // the data expression as written: "I[n]"
    std::vector<std::string> indices;  // a point is a row-major number over these indices' ranges (Solution::indices)
};

struct Lowered {
    std::vector<Halide::Argument> arguments;  // kernel parameters in declared order, then extent arguments
    std::vector<LoweredFunc> funcs;           // producers before consumers
    std::vector<std::string> outputs;         // names of output Funcs, declared order
    std::map<std::string, Halide::Expr> symbols;
    std::map<std::string, Halide::ImageParam> images;
    std::vector<Condition> twins;                      // when each is taken
    std::map<std::string, Halide::Func> output_funcs;  // defined or not yet: conditions ask for their strides

    LoweredFunc* find(const std::string& name);
    Halide::Expr stride(const std::string& tensor, int dim) const;  // of an input's or output's buffer
    Halide::Expr address(const std::string& tensor) const;          // where it begins: of an input or output
    /// As a boolean Expr. Each twin's condition has a form of its own: terms that occur in two of them Halide would put into
    /// variables, and no longer see which of the twins a branch takes.
    Halide::Expr evaluate(const Condition&) const;

private:
    Halide::Expr evaluate(const Condition::Term&, int form) const;
};

/// A size that only an output's buffer tells is an int32 argument of its own, after the kernel's parameters.
struct ExtentArgument {
    std::string name;    // of the argument
    std::string symbol;  // of the size
    SymbolSource source;
};
std::vector<ExtentArgument> extent_arguments(const Kernel&, const Solution&);

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

/// What `lower` makes of a tensor, known without Halide. `name` computes the values: per stage its equation, -1 for a plain
/// start value. `stored` is a plain copy of it that all others read: an output, or an intermediate with more than one
/// stage; an intermediate of one pure stage is stored by itself (`stored == name`).
/// A tensor has several where another tensor's equation reads it between two of its own.
struct ValueFunc {
    std::string name;
    std::string stored;
    std::string tensor;
    std::vector<std::string> dims;  // names of the pure loops
    std::vector<int> equations;
};
std::vector<ValueFunc> value_funcs(const Kernel&, const Solution&);
/// Likewise, with the computations that parts of stored Funcs have to themselves.
std::vector<ValueFunc> value_funcs(const Kernel&, const Solution&, const std::vector<Slice>&);
/// The loops of an update that are no pure ones, in the order of the equation, outermost first.
std::vector<std::string> serial_loops(const Kernel&, const Solution&, int equation);
/// Per dim of an equation's left side: a loop of its own, free of any order (see lowering::pure_positions).
std::vector<bool> pure_left_positions(const Kernel&, const Solution&, int equation);

/// The Func of a padded input over its padded places: "X_pad".
std::string padded_name(const Kernel&, const std::string& tensor);

}  // namespace halogen
