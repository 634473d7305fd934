#pragma once
// Chooses a schedule by the structure of the equations, never by a kernel's name.

#include "frontend/program.h"
#include "frontend/solution.h"
#include "schedules/history.h"
#include "schedules/knob_values.h"
#include "schedules/machine.h"

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
/// not among them change nothing: `recipe_with` refuses them.
History recipe(const Kernel&, const Solution&, const Machine&, const KnobValues& chosen = {});
/// Errors: schedule (no such knob, a value outside its domain).
Result<History> recipe_with(const Kernel&, const Solution&, const Machine&, const KnobValues& chosen);

}  // namespace halogen
