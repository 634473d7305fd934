#pragma once
// What a history changes in the equations themselves, before any loop is scheduled; without Halide.

#include "frontend/notation/program.h"
#include "frontend/plan/condition.h"

#include <cstdint>
#include <set>
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
/// `func` may be computed past the end of `index`: what it reads is clamped to the range where it enters, but for places in padded
/// dims of a copy with its edges, which has room for whole tiles.
struct Overcompute {
    std::string func;
    std::string index;
    friend bool operator==(const Overcompute&, const Overcompute&) = default;
};
/// Sums of products over `index` in `func` run on to a multiple of `points`, past whose end the private copies of the two factors
/// hold zeros. A copy in panels holds groups of so many elements along the index side by side, in a last dim of their own.
struct Group {
    std::string func;
    std::string index;
    int points = 1;
    friend bool operator==(const Group&, const Group&) = default;
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
/// `name`. If they are `masked` the last vector is taken under a mask; else it meets points again, and one more stage takes what is too
/// short for a vector. The pieces, with n points of the loop:
///   name(…, u, l) op= the value at point b * vectors * lanes + u * lanes + l, for each whole block b
///   name(…, 0, l) op= the value at the points left, a vector at a time; if not masked the last vector ends at the last point, and a
///                     sum or product leaves out those it meets again
///   name(…, 0, l) op= the value at the last vector, whole or not, in the lanes that have points, if masked: the pieces before end at it
///   name(…, 0, l) op= name(…, u, l) for u >= 1
///   func(…) op= name(…, 0, l)     update `stage`; where `joins_as_keys` all lanes at once
///   func(…) op= all n points      update `stage` + 1, if not masked, where n < lanes; the first two pieces are empty then
/// Loops of the partial Func: `name`_u and `name`_l besides those of the stage; `loop` counts blocks or vectors; the fold's
/// reduced loop is `name`_fold. That of update `stage` is `name`_l, unless lanes are joined as keys.
struct Partial {
    std::string func;
    int stage = 0;
    std::string loop;
    std::string name;
    int lanes = 1;
    int vectors = 1;
    bool masked = false;
    friend bool operator==(const Partial&, const Partial&) = default;
};
/// True for `max=` and `min=` of floats: Halide cannot reorder them, since they keep NaN, so lanes are joined as integers that sort
/// as they do.
inline bool joins_as_keys(Op op, Type type) { return is_float(type) && (op == Op::max || op == Op::min); }
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
/// Loop `inner` of `func` inside loop `outer` as one, told by the dims that the two come from.
struct FusedDims {
    std::string func;
    std::set<std::string> inner, outer;
    friend bool operator==(const FusedDims&, const FusedDims&) = default;
};
/// What a history changes in the equations themselves.
struct Emission {
    std::vector<CopyIn> copies;
    std::vector<Twin> twins;
    std::vector<Overcompute> overcomputes;
    std::vector<Group> groups;
    std::vector<Skip> skips;
    std::vector<Partial> partials;
    std::vector<CopyOut> copies_out;
    std::vector<Slice> slices;
    std::vector<FusedDims> fused;
    std::set<std::string> in_place;  // stored Funcs whose equations write them themselves, and no Func of values
    std::set<std::string> placed;    // Funcs that have steps: those of padded inputs stand only where they have some
};

}  // namespace halogen
