#pragma once
// What parts of tensors ask for: the blocks of the equations that compute them and the windows of all that those read, back
// through chains of equations. A halo grows by itself: for rows 4 to 7 behind two stencils of 3 rows, rows 2 to 9 are read.

#include "frontend/project/projection.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A window of a tensor: first and last place of each dim.
using Window = std::vector<Hull>;

struct Needs {
    std::vector<std::optional<Box>> blocks;  // by equation; nothing for one whose tensor nobody needs
    std::map<std::string, Window> windows;   // of the tensors wanted, and of all that is read for them
    std::map<std::string, Window> reached;   // of what is read: places as they stand in brackets, on padding too
};

/// Equations `first` to `end` - 1 of a kernel.
struct Section {
    int first = 0, end = 0;
    friend bool operator==(const Section&, const Section&) = default;
};

/// What the equations of `section` must compute and read for the windows `wanted`. `fixed` gives the blocks of some indices of
/// some equations; other blocks follow from the windows of the tensors written: an index alone in a dim runs over the window's part
/// of it. A dim that is written at another place, or in which a tensor reads itself elsewhere than where it writes, is needed whole.
Needs needs_of(const Kernel&, const Solution&, Section section, const std::map<std::string, Window>& wanted,
               const std::map<int, Box>& fixed = {});

}  // namespace halogen
