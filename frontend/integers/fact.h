#pragma once
// One fact about unknown integers.

#include "frontend/formula/formula.h"
#include "frontend/formula/relation.h"

namespace halogen {

/// left == right, or left <= right; `divides` is no fact of its own: left * (a further unknown) == right.
struct Fact {
    Formula left;
    Relation relation = Relation::equal;
    Formula right;
    int source = -1;  // index of the relation of the user's it comes from
};

}  // namespace halogen
