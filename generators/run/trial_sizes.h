#pragma once
// Small calls that show whether a schedule computes what it should.

#include "generators/run/call_data.h"
#include "generators/run/options.h"
#include "schedules/history/history.h"

#include <string>
#include <vector>

namespace halogen {

struct Trial {
    CallData data;
    std::string about;  // "M=7, N=33, column-major"
};

/// Calls of a kernel that meet its equations: `free` sizes of 0, 1, primes and beside the factors of the history's splits, the
/// inputs dense, column-major, with gaps and reversed in turn; one call large enough for threads. The same for the same
/// arguments. With nothing free there is the one call that `options` tells.
std::vector<Trial> trials(const Kernel&, const Options& options, const std::vector<std::string>& free, const History&);

}  // namespace halogen
