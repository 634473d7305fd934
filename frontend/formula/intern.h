#pragma once
// Operations made once: equal ones share one object for as long as it is in use, so that comparing them costs nothing and
// a formula with shared parts stays as small as the parts.

#include "frontend/formula/formula.h"

namespace halogen {

/// The atom `kind(a, b)` as it is, not simplified. Each thread keeps its own table: atoms of two threads are equal, though not one.
Formula::AtomRef interned(Formula::Atom::Kind kind, const Formula& a, const Formula& b);

/// What tells symbols of different names apart, mostly.
std::uint64_t hash_of_name(const std::string& name);

}  // namespace halogen
