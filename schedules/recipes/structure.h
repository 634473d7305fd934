#pragma once
// The structure of a kernel that recipes look at: which tensors are stored and where, which reductions are computed inside
// whose tiles, and everything a stored tensor reads, in terms of its own loops.

#include "frontend/plan/apart.h"
#include "schedules/recipes/access.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

using lowering::is_short;

/// One update stage of a core: its equation and the loops it reduces over (its own names, as the stage calls them).
struct CoreStage {
    int stage = 0;
    int equation = 0;
    std::vector<std::string> reduced;
    std::vector<std::string> loops;  // the stage's name for each dim of the core; "" where the left side is not plain
    bool plain = true;               // every dim of the left side is a pure loop
    std::vector<Read> reads;         // in the host's loop names; reduced loops as the stage calls them
};

/// A Func of values with update stages, computed inside a tile of its host.
struct Core {
    std::string func;
    std::string stored;             // the Func that copies it
    std::vector<std::string> dims;  // its pure loops, position by position those of the host
    std::vector<CoreStage> stages;  // updates only
};

/// A tensor that is stored whole (or per row of the kernel's outer loop), with its loops.
struct Host {
    std::string func;
    std::string tensor;
    bool output = false;
    std::vector<std::string> dims;
    std::vector<Core> cores;            // none: a plain map
    std::vector<Read> reads;            // of inputs and of other hosts, cores' included, in the host's loop names
    bool heavy = false;                 // a function such as exp is evaluated
    std::set<std::string> shared = {};  // what other hosts read too

    /// Its values are those of its only core.
    bool is_one_core() const { return cores.size() == 1 && cores[0].stored == func; }
    /// Some equation of it writes by more than loops of its dims, each free of any order.
    bool runs_in_order() const;
};

struct Structure {
    std::vector<Host> hosts;  // producers first, outputs last in declared order
    int fused_dims = 0;       // leading dims that all hosts share plainly: intermediates can live inside those loops
    bool blocked = false;     // they share their only long dim: intermediates can live inside blocks of it
};

Structure structure_of(const Kernel&, const Solution&);

/// Of a tensor with colours, a last dim of few elements: whether the dim before its pixels has few as well, such as the halves of a
/// butterfly, and all of both are written out beside vectors of pixels.
bool has_rows_of_colours(const std::vector<Formula>& extents);

}  // namespace halogen
