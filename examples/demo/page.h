#pragma once
// The demo as one HTML page with its pictures inside.

#include "results.h"
#include "solved.h"

#include <string>
#include <vector>

namespace halogen::demo {

/// `solved` has one entry per call. The picture named "photo" is the photograph itself.
std::string page(const Results& results, const std::vector<Solved>& solved);

}  // namespace halogen::demo
