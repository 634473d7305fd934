#pragma once
// `halogen shard --scale … --html`: scaling as a page.

#include "frontend/project/scale.h"

#include <string>

namespace halogen {

/// A plot of the time over the number of ranks, both by powers of two, beside what it would be if nothing were lost, and the table.
std::string scale_page(const Kernel&, const std::vector<ScalePoint>&, const std::string& grown);

}  // namespace halogen
