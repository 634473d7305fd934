#pragma once
// The errors of conditions that numbers decide: what does not fit, and how to mend it.

#include "frontend/solve/sizes.h"

namespace halogen {

/// A condition whose slack is negative: "X[y + 2] reaches position 6 in dim 0 of `X`, which has extent 5". Throws SizeFailure
/// (contradictory, negative or overflow).
[[noreturn]] void fail_constraint(const Sizes&, const Constraint&, std::int64_t slack);
/// An equality of two numbers that differ. Throws SizeFailure(contradictory).
[[noreturn]] void fail_equality(const Sizes&, const Equality&);

/// Why the condition exists, with its clause: that is written only for what becomes a guard or an error, for most hold.
Reason reason_of(const Constraint&);

}  // namespace halogen
