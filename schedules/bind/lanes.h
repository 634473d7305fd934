#pragma once
// What is known of the lanes of a vector.

#include "Halide.h"

namespace halogen {

/// The value of all lanes; undefined where they differ.
Halide::Expr same_in_all(const Halide::Expr&);
/// The first lane and the last of a vector whose lanes are evenly spaced, or all the same; undefined for any other vector.
Halide::Expr first_lane(const Halide::Expr&);
Halide::Expr last_lane(const Halide::Expr&);
/// Lanes a number of places apart; null for any other vector.
const Halide::Internal::Ramp* ramp_of(const Halide::Expr& simplified);

}  // namespace halogen
