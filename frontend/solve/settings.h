#pragma once
// The pass that takes in what the caller knows: numbers for sizes and dims, defaults of parameters, sizes that are equal.

#include "frontend/solve/sizes.h"
#include "frontend/solve/solution.h"

namespace halogen {

/// Numbers, then defaults, then equalities. Numbers for indices wait for rule 1: see pin_indices.
/// Errors: Failure(name) for what the kernel has not, Failure(negative), Failure(overflow), SizeFailure(contradictory).
Sizes&& apply_settings(Sizes&&, const Settings& known, const std::vector<SizeEquality>& equal);

/// `setting`, a name of the caller's, gives the class of `name` its number. Errors: as above.
void set_number(Sizes&, const std::string& name, std::int64_t value, const std::string& setting);

/// Two names are one size, for the reason that is told. Errors: SizeFailure(contradictory) for two numbers.
void join(Sizes&, const std::string& a, const std::string& b, const Join& why);

}  // namespace halogen
