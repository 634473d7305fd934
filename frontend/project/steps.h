#pragma once
// A split kernel as steps: equations that every shard runs by itself, one step after the other. Between two steps tensors change
// hands: partial results are combined, or a later step needs other parts than its shard has made.

#include "frontend/base/error.h"
#include "frontend/project/needs.h"
#include "frontend/project/split_role.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// An index and into how many parts its values are dealt.
struct Split {
    std::string index;
    std::int64_t shards = 1;
    friend bool operator==(const Split&, const Split&) = default;
};

/// The splits from one equation on, up to where the next phase begins.
struct Phase {
    int first = 0;  // the equation, from 0
    std::vector<Split> splits;
    friend bool operator==(const Phase&, const Phase&) = default;
};
/// In order; the first begins at equation 0.
using Phases = std::vector<Phase>;

/// A split index within a step.
struct Cut {
    Split split;
    Formula extent;  // how many points are dealt: of a tensor's dim, or of the index
    bool partial = false;
    friend bool operator==(const Cut&, const Cut&) = default;
};

struct ShardStep {
    Section section;
    std::vector<Cut> cuts;             // splits that cut nothing here are left out; none: one shard does it all
    std::vector<std::string> results;  // the tensors that later steps or the caller read
    Op combine = Op::assign;           // of partial results

    bool is_partial() const { return combine != Op::assign; }
    std::int64_t shards() const;
    friend bool operator==(const ShardStep&, const ShardStep&) = default;
};

/// Softmax by rows is one step; by columns four: partial maxima, what is made of them, partial sums, quotients. Steps end with their phase.
/// Errors: name (an index or an equation that is none, an index that no equation of the phase has), schedule (an index that cannot be
/// split, and why).
Result<std::vector<ShardStep>> steps_of(const Kernel&, const Solution&, const Phases&);
/// Likewise of one phase: the equations of a section.
Result<std::vector<ShardStep>> steps_of(const Kernel&, const Solution&, Section, const std::vector<Split>&);
/// The same splits for all equations.
Result<std::vector<ShardStep>> steps_of(const Kernel&, const Solution&, const std::vector<Split>&);

/// The part of a cut that a shard has: values first to first + count - 1 of it.
struct Share {
    Formula first, count;
    friend bool operator==(const Share&, const Share&) = default;
};
using Shares = std::map<std::string, Share>;  // by index
/// Symbols: `y.first`, `y.count`.
Shares any_shares(const ShardStep&);
/// Part `number` of `shards` of 0 to extent - 1: sizes differ by at most 1. Part 1 of 3 of 8 points: 2 to 4.
Share share_of(std::int64_t extent, std::int64_t shards, std::int64_t number);
/// The shares of shard `number` of a step, its cuts counted row-major; all extents are numbers.
Shares shares_of(const ShardStep&, std::int64_t number);

/// What a shard with these shares computes, reads and leaves.
Needs needs_of(const Kernel&, const Solution&, const ShardStep&, const Shares&);
/// The part of each result that is the shard's own.
std::map<std::string, Window> own_windows(const Kernel&, const Solution&, const ShardStep&, const Shares&);

/// The tensors that the section reads, or goes on writing, from before it.
std::vector<std::string> operands_of(const Kernel&, Section);
/// True when an equation before the section writes the tensor.
bool is_begun_before(const Kernel&, Section, const std::string& tensor);

}  // namespace halogen
