#pragma once
// The kernel that computes a shard of a step: the step's equations over windows. Indices keep their values, so that ranges, predicates
// and indices used by value stay as they are; a place in a dim that is cut counts from the window's first place. Of
//
//   Y[y] += X[2*y + r - P]*F[r]     rows y.first on, of which X has the rows from Low_X_0 on, and no padding but at its ends
//   Y[y - Low_Y_0] += X[2*y + r - P - Low_X_0]*F[r] where y in First_y_0:First_y_0 + Count_y_0
//
// One kernel serves all shards of a step: what differs are sizes.

#include "frontend/project/steps.h"
#include "frontend/project/tensor_part.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// What a `size` of a shard's kernel is.
struct ShardSize {
    enum class Kind { size, low, extent, pad_low, pad_high, first, count };
    Kind kind = Kind::size;
    std::string of;  // the size, the tensor, the index
    int number = 0;  // the dim, the equation of the whole kernel
    friend bool operator==(const ShardSize&, const ShardSize&) = default;
};

struct ShardKernel {
    Kernel kernel;
    std::map<std::string, ShardSize> sizes;     // by parameter
    std::map<std::string, std::string> inputs;  // the tensor of the whole kernel that an input is a window of
    Needs needs;                                // of any shard, over its shares
};

/// The kernel of a step; it leaves the step's results, partial ones begun anew, others gone on with. Sizes that `solution` leaves
/// open are open in it too. Errors: those of `check`: none for a checked kernel.
Result<ShardKernel> shard_kernel_of(const Kernel&, const Solution&, const ShardStep&);

/// What one shard calls its kernel with.
struct ShardCall {
    std::map<std::string, std::int64_t> sizes;  // of each `size` of the shard's kernel
    std::map<std::string, Part> parts;          // of each tensor of the whole kernel that is read or left
};
/// `numbers` is the solution that the shard's kernel was made of, without open sizes.
ShardCall shard_call_of(const Solution& numbers, const ShardKernel&, const Shares&);

}  // namespace halogen
