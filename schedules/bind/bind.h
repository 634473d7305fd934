#pragma once
// The one place where a history becomes Halide scheduling directives.

#include "frontend/base/error.h"
#include "frontend/lower/lower.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"
#include "schedules/state/state.h"

#include "Halide.h"

#include <optional>
#include <vector>

namespace halogen {

/// A kernel as Halide sees it.
struct BoundKernel {
    Halide::Pipeline pipeline;                // one output Func per output tensor, declared order
    std::vector<Halide::Argument> arguments;  // kernel parameters in declared order: buffers, int32 sizes, scalars
    ScheduleState state;                      // what the steps made of the Funcs: Halide's own, read back
};

/// What looks at the data of a call before it is made.
struct BoundChecks {
    Halide::Pipeline pipeline;  // one int32 output of extent checks.size(): the first bad point of each, or -1
    std::vector<Halide::Argument> arguments;  // those of the kernel
    std::vector<DataCheck> checks;
};
/// Nothing where no data decide anything; `target` as for `bind`. Errors: too_complex (Halide refuses the program).
Result<std::optional<BoundChecks>> bind_checks(const Kernel&, const Solution&,
                                               const Halide::Target& target = Halide::Target("x86-64-linux-sse41"));

/// What the steps change in the equations, for `lower`.
Emission emission_of(const History&);

/// The state the steps would leave, by the model alone: Halide gets no directive. Errors: schedule, naming the step.
Result<ScheduleState> dry_state(const Kernel&, const Solution&, const History&);

/// Steps that were left out of a history, and why.
struct Skipped {
    Step step;  // without its nested ones
    std::string why;
};
/// The steps that can be applied, one after the other; those that are refused, by us or by Halide's directives, and all that
/// name what a skipped step would have made are left out and listed.
struct LegalPart {
    History history;
    std::vector<Skipped> skipped;
};
LegalPart skip_illegal(const Kernel&, const Solution&, const History&);

/// Buffers: notation dim d of rank r is Halide dim r-1-d; all mins are 0; strides are free on every dim.
/// f16, bf16 and bool are Halide's float16, bfloat16 and uint1 (one byte). `solution` has every symbol open.
/// `target` says how long the vectors of running sums are.
/// Errors: schedule (a step that cannot be applied, named), too_complex (Halide refuses the program; its text).
Result<BoundKernel> bind(const Kernel&, const Solution&, const History&,
                         const Halide::Target& target = Halide::Target("x86-64-linux-sse41"));

}  // namespace halogen
