#pragma once
// Nests as text.

#include "schedules/nest/nest.h"

#include <string>

namespace halogen {

/// Loops outside in, with ranges, marks and statements: for people, and equal exactly when nests are.
std::string print(const Nest&);
/// A formula with loops by their names.
std::string print_in(const Nest&, const Formula&);

}  // namespace halogen
