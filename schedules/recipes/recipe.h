#pragma once
// Chooses a schedule by the structure of the equations, never by a kernel's name.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/knob_values.h"
#include "schedules/machine/machine.h"

#include <string>
#include <vector>

namespace halogen {

/// The classes of equations, from their accesses and strides.
enum class EquationClass {
    map,
    reduction,
    contraction,
    convolution,
    stencil,
    layout_change,
    scan,
    gather_scatter,
    other
};
std::string to_string(EquationClass);
EquationClass classify(const Kernel&, const Solution&, int equation);

/// The schedule of a kernel on a machine. Never fails: what no class fits gets a safe, vectorised default.
/// Its header lists the decisions it left open as knobs; `chosen` decides some of them otherwise. Names and values that are
/// not among them change nothing: the verbs refuse them.
/// `facts` hold for every call that it will serve.
History recipe(const Kernel&, const Solution&, const Machine&, const KnobValues& chosen = {}, const Facts& facts = {});
/// What helps the recipe's schedule of a kernel where buffers are not row-major.
struct BufferOrders {
    /// Column-major buffers have their full speed in the schedule of the `reversed` kernel: this one's rows of intermediates, scans,
    /// windows, or several reductions of one row go along last dims alone.
    bool reversed = false;
    bool rows_only = false;  // the same, but the kernel cannot be reversed
    /// Inputs and outputs that are better copied once when they lie otherwise than most do: loops sweep over all dims of them.
    std::vector<std::string> densely;
};
BufferOrders buffer_orders(const Kernel&, const Solution&);

}  // namespace halogen
