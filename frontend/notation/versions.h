#pragma once
// The values of a tensor between its readers.

#include "frontend/notation/program.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// The values that a tensor has between two of its readers: `Y[n] = X[n]; Q[n] = 2*Y[n]; Y[n] += Q[n]` makes two versions
/// of `Y`, the one that `Q` reads and the one that starts from it.
struct Version {
    std::string tensor;
    int previous = -1;           // the version whose values it starts from
    std::vector<int> equations;  // that write it, in textual order
};
/// The versions of all tensors that a kernel writes. A version stands behind all that its equations read.
struct Versions {
    std::vector<Version> all;
    std::vector<int> written;                      // per equation: its version
    std::vector<std::map<std::string, int>> read;  // per equation: of each other written tensor that it reads
    std::map<std::string, int> last;               // of each tensor: the values that the kernel leaves
};
Versions versions_of(const Kernel&);

}  // namespace halogen
