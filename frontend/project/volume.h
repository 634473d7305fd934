#pragma once
// What one shard of a step computes, holds, moves and receives.
//
// Before the first step every element of an input lives on one shard: a dim that the step cuts is dealt as the index that cuts it,
// what is cut by other indices alone is dealt evenly. What a shard reads beyond its own comes over a link: a halo, or an operand that
// several shards read. Partial results are combined as MPI does it: reduced and scattered, and gathered again where a later step
// reads them.

#include "frontend/project/steps.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// Formulas over sizes and shares, or numbers.
struct Volume {
    Formula operations;  // points times operations per point, whatever `where` leaves out
    Formula moved;     // bytes between memory and processor: operands and results once, tensors between equations twice
    Formula memory;    // bytes of all windows
    Formula received;  // bytes from other shards
};

/// The volume of step `number`, of the shard with these shares. Places on padding count as received in formulas: the shard is one
/// with neighbours at both sides. Shares and sizes in numbers give numbers.
Volume volume_of(const Kernel&, const Solution&, const std::vector<ShardStep>& steps, int number, const Shares& shares);

/// How many elements a window has; none where a dim has none.
Formula elements_of(const Window&, const LowerBounds&);

/// The elements of a tensor that two neighbours along a cut both read, per dim that the cut's index moves: of rows T*y + r that is
/// R - T places of dim 0. Negative where a gap lies between them.
struct Halo {
    std::string tensor, index;
    int dim = 0;
    Formula places;
};
std::vector<Halo> halos_of(const Kernel&, const Solution&, const ShardStep&);

}  // namespace halogen
