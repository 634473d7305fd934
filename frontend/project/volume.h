#pragma once
// What one shard of a step computes, holds, moves and receives.
//
// Before the first step every element of an input lives on one shard: a dim that the step cuts is dealt as the index that cuts it,
// what is cut by other indices alone is dealt evenly. What a shard reads beyond its own comes over a link: a halo, an operand that
// several shards read, or what a step that was cut otherwise left elsewhere: rows that were columns. Partial results are combined as
// MPI does it: reduced and scattered, so that each shard gets of what it reads next as much as it can, and the rest of that gathered.

#include "frontend/project/ranks.h"

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
    Formula gathered;  // of those: results that an earlier step combined
    std::int64_t sources = 0;  // shards of earlier steps, cut otherwise, that each have a piece of what is read
};

/// The volume of step `number`, of any shard, over its shares. Places on padding count as received: the shard is one with neighbours at
/// both sides. What steps cut otherwise left is taken to lie where most of it is needed.
Volume volume_of(const Kernel&, const Solution&, const std::vector<ShardStep>& steps, int number);
/// Of what a rank runs in it, in numbers: what the same rank holds from earlier steps is not received. All sizes are numbers. `ranks`: how
/// many work, where later steps than these have more shards.
Volume volume_of(const Kernel&, const Solution& numbers, const std::vector<ShardStep>& steps, int number,
                 std::int64_t rank, std::int64_t ranks = 1);

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
