#pragma once
// Places of accesses as formulas over loops, and formulas as expressions.

#include "frontend/formula/hull.h"
#include "schedules/nest/nest.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// An integer expression of a statement over sizes and loops; nothing where data stand in it.
std::optional<Formula> formula_of(const Nest&, const NestStatement&, const Expr&);
/// Sizes become SizeRefs, everything else IndexRefs.
Expr expr_of(const Formula&);
/// True when an expression of the equation names a loop of the nest.
bool mentions_loops(const Equation&);

/// One access of a statement.
struct NestAccess {
    std::string tensor;
    bool write = false;
    std::vector<std::optional<Formula>> at;  // per dim
};
/// What a statement reads and writes, the write first. A reduction reads what it writes; that read is not listed.
std::vector<NestAccess> accesses_of(const Nest&, const NestStatement&);

/// Changes every access to `tensor` on the right sides and in predicates.
void rewrite_reads(NestStatement&, const std::string& tensor, const std::function<Expr(const Access&)>&);

/// First and last value of a formula while the given loops run; other symbols stay.
Hull range_over(const Formula&, const std::vector<const NestLoop*>& loops);

}  // namespace halogen
