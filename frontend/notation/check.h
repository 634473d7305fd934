#pragma once
// The passes of `check`, each over a kernel whose earlier passes have run. Inside of the language; not for others.

#include "frontend/notation/program.h"

#include <string>
#include <vector>

namespace halogen {

/// Throws the mistake `what` of `equation`, at `at` (of the equation where that is no place).
[[noreturn]] void fail_in(const Equation& equation, ErrorKind, std::string what, Position at, std::string fix);
/// The text of an expression for messages, cut when long.
std::string brief(const Expr&);

/// Literals have no sign of their own, trees share no nodes, pads and boundaries agree, equations have their text.
/// Errors: too_complex (depth), syntax (a pad without its other half, a number that is not finite).
void normalize(Kernel&);

/// Puts the values of lets in place of their names, marked with them; lets that are sizes stay names.
/// Errors: name (a value that holds more than literals, sizes, scalars and earlier lets), too_complex.
void write_out_lets(Kernel&);

/// Every name is well formed, means one thing, and is declared where it must be.
/// Errors: name.
void check_names(const Kernel&);

/// Finds the tensors that no header declares (intermediates; all of a bare equation's), ranks, and the order of
/// writing and reading. Types of intermediates are left open: `open_types` gets their names.
/// Errors: name, rank.
void find_tensors(Kernel&, std::vector<std::string>& open_types);

/// Indices of `=`, ranges, what may stand in brackets, dims and `in`.
/// Errors: name, type, contradictory (a literal divisor of 0 or less), negative (a negative literal extent or pad).
void check_structure(const Kernel&);

/// Finds the types of the tensors in `open_types`; checks every expression, store, predicate and boundary.
/// Errors: type.
void check_types(Kernel&, const std::vector<std::string>& open_types);

/// The recurrence rule. Errors: name.
void check_recurrences(const Kernel&);

}  // namespace halogen
