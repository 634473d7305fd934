#pragma once
// How much a kernel computes and moves, counted as docs/design.md says.

#include "frontend/formula/formula.h"
#include "frontend/notation/operations.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

namespace halogen {

/// Operations of an equation over its whole box of indices.
Formula operations(const Kernel&, const Solution&, int equation);
/// Bytes when each input is read once and each output written once.
Formula bytes_moved(const Kernel&, const Solution&);

struct Work {
    double operations = 0;
    double bytes = 0;
};

/// The same as numbers. Points that a `where` leaves out do not count, nor does a reduction's tap that falls on padding
/// with a constant. `numbers` is a solution without open symbols.
Work count_work(const Kernel&, const Solution& numbers);

}  // namespace halogen
