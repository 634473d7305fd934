#pragma once
// Rule 2: an extent that nothing else fixes is the largest with which every access stays inside.

#include "frontend/solve/sizes.h"

#include <string>

namespace halogen {

/// Gives one class its largest extent: of `Y[i] = X[2*i] + X[2*i + 2]` that of `i` is (X.0 - 3)/2 + 1. Where no formula gives it
/// (`X[i*i]`, `X[i % 7 + i/3]`) it is searched for with numbers, for what an access reaches never falls as the extent grows;
/// with open sizes it is that of an output's buffer, under guards. `even_if_equated` is for classes that an equality could
/// still have fixed, but nothing did. False when it has to wait, or nothing bounds it.
bool maximize(Sizes&, const std::string& root, bool even_if_equated);

/// An equality, or what is written, may still give the class its value.
bool is_equated(const Sizes&, const std::string& root);

}  // namespace halogen
