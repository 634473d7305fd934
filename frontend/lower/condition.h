#pragma once
// Conditions on a call that are known before any loop runs.

#include "frontend/formula.h"

#include <string>
#include <vector>

namespace halogen {

/// Strides of the caller's buffers and sizes. All terms must hold; none at all is "always".
struct Condition {
    struct Term {
        enum class Kind { unit_stride, at_least, at_most } kind;
        std::string tensor = {};  // unit_stride: the stride of `dim` is 1
        int dim = 0;
        Formula left = {}, right = {};  // at_least: left >= right; at_most: left <= right
        friend bool operator==(const Term&, const Term&) = default;
    };
    std::vector<Term> all = {};
    bool negated = false;
    friend bool operator==(const Condition&, const Condition&) = default;
};
std::string print(const Condition&);

}  // namespace halogen
