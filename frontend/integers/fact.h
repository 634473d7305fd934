#pragma once
// One fact about unknown integers.

#include "frontend/formula/formula.h"

namespace halogen {

/// left == right, or left <= right.
struct Fact {
    enum class Relation { equal, at_most };
    Formula left;
    Relation relation = Relation::equal;
    Formula right;
    int source = -1;  // index of the relation of the user's it comes from
};

}  // namespace halogen
