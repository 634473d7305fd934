#pragma once
// What solving a kernel gives: every size, index range, access and guard, as formulas over the sizes left open.

#include "frontend/base/error.h"
#include "frontend/formula/formula.h"
#include "frontend/formula/relation.h"
#include "frontend/notation/program.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// Where a compiled kernel reads the value of an open symbol: an extent of a buffer, or a `size` parameter.
struct SymbolSource {
    std::string tensor;  // "" for a parameter
    int dim = 0;
    friend bool operator==(const SymbolSource&, const SymbolSource&) = default;
};

/// The values an index takes: [min, min + extent).
struct IndexRange {
    Formula min;
    Formula extent;
    bool reduced = false;

    /// All of a dim of `whole` elements.
    bool covers(const Formula& whole) const { return min == Formula(0) && extent == whole; }
    friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// The element address of one access of an equation, tensors dense and row-major:
/// offset + sum of strides[index] * index, in elements. With data or `/`, `%` in brackets there is no such form.
struct AccessForm {
    int equation = 0;
    std::string tensor;
    std::string text;  // "X[n, T*y + D*r - P, T*x + D*s - P, c]"
    bool is_left = false;
    bool affine = true;
    Formula offset;
    std::map<std::string, Formula> strides;
};

/// A condition on the open symbols under which the solution holds. Checked on entry of a compiled kernel, in 64 bits.
struct Guard {
    Formula left;
    Relation relation = Relation::equal;
    Formula right;
    int equation = -1;   // index into the kernel's equations, or -1
    std::string tensor;  // the tensor, dim and index it protects, where there is one
    int dim = -1;
    std::string index;
    std::string reason;  // one clause in the user's names: "index `k` has one extent in A[i, k] and B[k, j]"
    /// Where one of these is 0 the guard holds whatever its sides are: extents that may be 0, for then nothing is accessed,
    /// and extents less 1 where what is said is about two points.
    std::vector<Formula> over = {};
    bool is_condition = false;  // of the kernel; `reason` is it, as written

    friend bool operator==(const Guard&, const Guard&) = default;
};
std::string print(const Guard&);  // "A.1 == B.0"
/// Exact, as emitted C++ decides it. An extent of `over` that has no number (N/K with K = 0) is not 0; a side without one is
/// an error (Failure).
bool holds(const Guard&, const Bindings&);

/// A place that no guard keeps inside: it holds data, or its bounds are not known exactly. The kernel looks at each of its
/// values before it runs.
struct CheckedPlace {
    int equation = 0;
    std::string access;  // as printed: "X[I[n], k]"
    int dim = 0;
    friend bool operator==(const CheckedPlace&, const CheckedPlace&) = default;
};

struct Solution {
    std::vector<std::string> symbols;                        // the open sizes, in order of first appearance
    std::set<std::string> chosen;                            // those that rule 3 chooses for given outputs, each least
    std::map<std::string, SymbolSource> sources;             // one for each symbol a buffer or parameter gives
    std::map<std::string, Formula> sizes;                    // every size name: declared symbols, parameters, "X.0"
    std::map<std::string, std::vector<Formula>> extents;     // per tensor, one per dim
    std::vector<std::map<std::string, IndexRange>> indices;  // per equation
    std::vector<Guard> guards;                               // none implied by being always true
    std::vector<CheckedPlace> checked;                       // by equation
    std::set<int> may_meet;  // equations under `=` whose points may meet: predicates decide it when the kernel runs
};

/// What the caller knows: a number, or nothing for "leave it open" (`--set T=?`).
using Settings = std::map<std::string, std::optional<std::int64_t>>;

/// Two sizes that are one: names, parameters or dims ("X.0").
struct SizeEquality {
    std::string first, second;
};

}  // namespace halogen
