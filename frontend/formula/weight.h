#pragma once
// How large a formula is.

#include "frontend/formula/formula.h"

#include <algorithm>

namespace halogen {

/// How many atoms stand in `f`, at any depth and written out; no more than `heaviest`: 3 in `H + floor(W/2)`.
inline int weight_of(const Formula& f) {
    int weight = 0;
    for (const auto& [m, c] : f.terms()) {
        for (const auto& atom : m) weight = std::min(weight + atom->weight, Formula::Atom::heaviest);
    }
    return weight;
}

}  // namespace halogen
