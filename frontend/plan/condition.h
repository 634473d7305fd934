#pragma once
// Conditions on a call that are known before any loop runs.

#include "frontend/formula/formula.h"

#include <string>
#include <vector>

namespace halogen {

/// Strides and places of the caller's buffers, sizes, and the threads of Halide's pool. All terms must hold; none at all is "always".
struct Condition {
    struct Term {
        enum class Kind { stride_is, stride_below, at_least, apart, threads_at_most } kind = Kind::at_least;
        std::string tensor = {};
        int dim = 0;    // stride_is: the stride of `dim` is `other`; stride_below: it is below that of dim `other`
        int other = 1;  // threads_at_most: how many; a pool that nobody has used yet has none
        Formula left = {}, right = {};  // at_least: left >= right
        std::string with = {};          // apart: `tensor` does not begin at the address where this one does
        friend bool operator==(const Term&, const Term&) = default;
    };
    std::vector<Term> all = {};
    bool negated = false;
    friend bool operator==(const Condition&, const Condition&) = default;
};
/// Both hold; neither is negated.
Condition operator&&(Condition, const Condition&);
/// The term `left >= right`.
Condition::Term at_least(const Formula& left, const Formula& right);
/// The stride of a dim of a row-major tensor without gaps.
Formula dense_stride(const std::vector<Formula>& extents, int dim);
std::string print(const Condition::Term&);
std::string print(const Condition&);

}  // namespace halogen
