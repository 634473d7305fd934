#pragma once
// Which step of a history makes it wrong or slow.

#include "generators/run/options.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"

#include <functional>
#include <string>

namespace halogen {

/// Prefixes of a history: `steps` is the first length at which `why` is not empty, and the one before it is right.
struct Turn {
    int steps = 0;  // 0: the kernel without a schedule already; -1: the whole history is right
    std::string why;
};

/// Looks for a turn in prefixes of 0 to `count` steps by halving; `why_bad` tells what is wrong with a prefix, "" for nothing.
Turn find_turn(int count, const std::function<std::string(int)>& why_bad);

/// Runs prefixes in processes of their own: values against the interpreter's at sizes beside the tiles' edges, or with
/// `--slower-than NS` the time of a call. Errors: Failure, as `prepare_call`.
Turn bisect(const Kernel&, const Leg&, const Options&, const History&);

}  // namespace halogen
