#pragma once
// Calls of numbers alone: their results, or a refusal that proposes what would do.

#include "frontend/shapes/library.h"

#include <string>

namespace halogen::shapes {

/// "mm(input=[2, 3], mat2=[4, 5])".
std::string print_call(std::string_view op, const Arguments&);

/// The results of a call that numbers decide. Errors: Refusal with the call and what would do.
///
///     Library library;
///     run(library, "mm", {{"input", {Operand{{2, 3}}}}, {"mat2", {Operand{{3, 4}}}}})  // [2, 4]
std::vector<Operand> run(Library&, std::string_view op, const Arguments&);

/// The arguments of a refused call that would do with one of their numbers changed, the smallest changes first, at most two:
/// "mat2 = [3, 5], or input = [2, 4]". Each proposal was tried. Empty when none is found.
std::string nearest_calls(Library&, std::string_view op, const Arguments&);

}  // namespace halogen::shapes
