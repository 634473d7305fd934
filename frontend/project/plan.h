#pragma once
// A plan: into how many parts which indices of a kernel are split, for all its equations or from one equation on to another. The steps,
// windows and volumes follow from it and the kernel.

#include "frontend/base/error.h"
#include "frontend/project/steps.h"

#include <string>
#include <vector>

namespace halogen {

struct ShardPlan {
    std::string kernel;  // its name
    std::string key;     // of its equations, equal under renaming: 16 hexadecimal digits
    Phases phases;       // at least one
    friend bool operator==(const ShardPlan&, const ShardPlan&) = default;
};

/// "halogen plan 1\nkernel matmul\nkey 0123456789abcdef\nsplit i 4\n"; `parse_plan` gives it back. Before the splits of each further phase
/// stands "from 3\n": the equation that it begins at, counted from 1.
std::string print(const ShardPlan&);

/// Reads a plan; `#` begins a comment.
/// Errors: syntax, with line and column: a line that is none, a number of shards below 1, an index split twice in a phase, phases out of
/// order, no kernel or key.
Result<ShardPlan> parse_plan(const std::string& text);

/// Reads `n=4,k=2` and `n=4 from 3 k=2`. Errors: usage (not of that form, fewer than 1 shard, an index twice in a
/// phase, phases out of order).
Result<Phases> parse_splits(const std::string& text);
/// "i=2,j=2", "i=2 from 3 j=2"; "no split" where there is none; `parse_splits` gives it back.
std::string print(const Phases&);

/// That a plan is one of this kernel; `key` is the kernel's. Errors: name (of another kernel, or of other equations).
Result<ShardPlan> plan_for(ShardPlan plan, const Kernel& kernel, const std::string& key);

/// That every cut of the steps has a point for each shard; all sizes are numbers.
/// Errors: contradictory (more shards than points).
Result<std::vector<ShardStep>> fitting(std::vector<ShardStep> steps);

}  // namespace halogen
