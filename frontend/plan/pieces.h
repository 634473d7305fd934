#pragma once
// The parts that slices make of a stage.

#include "frontend/plan/emission.h"
#include "frontend/solve/solution.h"

#include <map>
#include <string>
#include <vector>

namespace halogen {

/// A loop over a part of a range.
struct PartLoop {
    std::string name;
    Formula min, extent;
};
/// One part of a stage: its sliced loops, by the loop that was sliced.
struct Piece {
    std::map<std::string, PartLoop> loops;
    std::string suffix;  // "" of the first, else "_b" where loop `b` sets it apart

    bool has(const std::string& loop) const;
};

/// The parts of a stage whose loops have these ranges, in the order they run; one without loops where nothing is sliced.
/// `met`, where given, is told for each slice whether it cut something.
std::vector<Piece> pieces_of(const std::vector<Slice>&, const std::string& func, int stage,
                             const std::map<std::string, IndexRange>& loops, std::vector<bool>* met = nullptr);
/// The ranges of the loops of a tensor's Func.
std::map<std::string, IndexRange> dim_ranges(const std::vector<std::string>& dims, const std::vector<Formula>& extents);

}  // namespace halogen
