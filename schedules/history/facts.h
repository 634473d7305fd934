#pragma once
// What is known of a call before code for it is made: `R == 3 and K <= 16 and dense(X)`.

#include "frontend/formula/formula.h"
#include "frontend/formula/relation.h"
#include "frontend/plan/condition.h"
#include "frontend/solve/solution.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen {

class TextCursor;

/// One thing that is known: a relation of sizes, that a buffer lies row-major without gaps, how its strides are, or how many threads
/// there are. Dims of extent 0 or 1 have whatever stride that wants.
struct CallFact {
    enum class Kind { equal, at_most, dense, place } kind = Kind::equal;
    Formula left = {}, right = {};  // equal: left == right; at_most: left <= right
    std::string tensor = {};        // dense
    Condition::Term place = {};     // of the kinds stride_is, stride_below, apart and threads_at_most
    friend bool operator==(const CallFact&, const CallFact&) = default;
};
std::string print(const CallFact&);

/// All of them hold; none at all are known of every call.
using Facts = std::vector<CallFact>;
/// Joined by `and`.
std::string print(const Facts&);
/// Reads what `print` writes; `<`, `>` and `>=` are read too, as is `=` for `==` and a comma for `and`. Errors: syntax, with
/// line and column.
Facts parse_facts(TextCursor&);

/// True where `facts` say that the buffer is dense.
bool are_dense(const Facts& facts, const std::string& tensor);
/// The sizes that `facts` give as numbers: {R: 3} of `R == 3`.
Settings sizes_in(const Facts& facts);
/// A fact that does not hold at these sizes, in the kernel's names; null when all relations do. Buffers are not looked at.
/// What cannot be computed does not hold.
const CallFact* broken_relation(const Facts& facts, const Solution& open, const Bindings& sizes);

}  // namespace halogen
