#pragma once
// Proofs that accesses stay inside their tensors, for all sizes that meet the guards.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// What is known of one dim of one access. `low` and `high` are the first and last position reached (the exact hull over
/// the index ranges), which must lie in [least, most], padding counted in.
struct InBounds {
    enum class Verdict {
        exact,    // an index that runs over just this dim
        proved,   // for all sizes
        guarded,  // follows from `guards`
        checked,  // looked at when the kernel runs: the place holds data, or its bounds are not exact
        missing,  // not proved: `guards` are those that would make it so
    };
    int equation = 0;
    std::string access;  // "X[n, T*y + r]"
    std::string tensor;
    int dim = 0;
    bool is_left = false;
    Verdict verdict = Verdict::exact;
    Formula low, high, least, most;
    std::vector<Guard> guards;
};

/// A proof per dim of every access, equations in order, left side first, then as read. `solution` must be one of `kernel`.
/// A divisor is taken to be positive and an access to be made only where every index has a value.
/// Source: hulls of accesses; then the exact engine over the sizes and their products (products by the bounds of their
/// factors, McCormick 1976), so "proved" is certain and "missing" may be a proof that was not found.
std::vector<InBounds> prove_in_bounds(const Kernel&, const Solution&);

/// True when every access by indices alone is proved: with its guards checked, the kernel needs no checks of its own.
bool is_safe(const std::vector<InBounds>&);

/// "proved", "guard", "run" (checked when the kernel runs) or "missing"; of an exact one "proved" too.
std::string to_string(InBounds::Verdict);

/// "X[2*y + r] dim 0: 0 to 2*OH + R - 3 lies in 0 to H - 1".
std::string print(const InBounds&);

}  // namespace halogen
