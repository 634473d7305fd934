#pragma once
// What happens to an equation when one of its indices is split.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <string>

namespace halogen {

struct SplitRole {
    enum class Kind {
        independent,  // shards write different elements: the parts of dim `dim` of the tensor on the left
        partial,      // every shard has a part of every sum (or product, maximum, …): `combine` makes them one
        ordered,      // cannot be split, for `reason`
    };
    Kind kind = Kind::independent;
    int dim = -1;
    Op combine = Op::assign;
    std::string reason;  // a clause: "`Y[i]` needs `Y[i - 1]`, so `i` runs in order"
    friend bool operator==(const SplitRole&, const SplitRole&) = default;
};

/// The role of `index`, which stands in the equation. Of `C[i, j] += A[i, k]*B[k, j]`: i and j are independent, along dims 0 and 1,
/// k leaves partial sums. Of `Y[i] = Y[i - 1] + X[i]` i is ordered. Of `H[I[n]] += 1` n leaves partial sums.
SplitRole role_of(const Kernel&, const Solution&, int equation, const std::string& index);

/// "independent (dim 0 of C)", "partial results, combined by +", "not: REASON".
std::string print(const SplitRole&, const Equation&);

/// The operator as it stands between two operands: "+", "*", "max", "min", "and", "or".
std::string combining(Op);

}  // namespace halogen
