#pragma once
// The machine that shards run on: what one rank computes and moves, and what a link between two ranks carries.

#include "frontend/base/error.h"

#include <cstdint>
#include <string>

namespace halogen {

/// Units: operations, bytes and seconds. The usual values are those of one core of a server with a 10 Gbit/s link.
struct Cluster {
    double flops = 50e9;    // operations a second, of one rank
    double memory = 10e9;   // bytes a second between memory and processor
    double link = 1.25e9;   // bytes a second that a rank receives
    double latency = 5e-6;  // seconds that a message takes beside its bytes
    friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// "flops 5e+10\nmemory 1e+10\nlink 1.25e+09\nlatency 5e-06\n".
std::string print(const Cluster&);

/// Reads lines `flops 50e9`; `#` begins a comment, a line that is left out keeps its usual value.
/// Errors: syntax (a word that is none, a number that is not above 0), with line and column.
Result<Cluster> parse_cluster(const std::string& text);

}  // namespace halogen
