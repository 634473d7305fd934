#pragma once
// A canonical key of a program: its text with every name replaced by its place, so equal under renaming and different
// for different programs (it is no hash).

#include "frontend/notation/program.h"

#include <string>

namespace halogen {

/// Tensors, sizes, scalars and indices are numbered where they first appear; parameters in declared order. Settings that
/// a solution was made with are not part of it.
std::string canonical_key(const Kernel&);

}  // namespace halogen
