#pragma once
// Which variant serves a call, and how the call looks to it.

#include "frontend/formula/formula.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "generators/run/call_data.h"
#include "schedules/recipes/decided.h"
#include "schedules/variants/variants.h"

#include <cstdint>
#include <string>
#include <vector>

namespace halogen {

/// The extents of a tensor of the kernel at the sizes of a call, all of which are `numbers`.
std::vector<std::int64_t> extents_of(const Solution& numbers, const std::string& tensor);

/// How a tensor of the kernel lies in a call.
std::vector<std::int64_t> strides_of(const CallData&, const std::string& tensor);

/// The value of every size of the call, and of the open symbols of `open`.
Bindings sizes_of(const Solution& open, const CallData&);

/// A buffer's dims in a form whose runs are one dim each; those of `runs` without the tensor are as they were.
struct DimsOfForm {
    std::vector<std::int64_t> extents, strides;
};
DimsOfForm dims_of_form(const DimRuns& runs, const std::string& tensor, const std::vector<std::int64_t>& extents,
                        const std::vector<std::int64_t>& strides);

/// What the call says to a form whose facts hold for it. `threads` will run it.
KnownCall known_call(const Form&, const CallData&, int threads);

/// The fact that a call breaks, in words ("`R == 3` does not hold: R = 5", "X is not dense"); "" where it is served.
std::string why_not(const Variant&, const Solution& open, const CallData&, int threads);

/// The first of the variants that serves the call, or the one called `wanted`.
/// Errors: Failure(name): none is called so; Failure(contradictory): its facts do not hold for the call.
const Variant& serving(const std::vector<Variant>&, const Solution& open, const CallData&, const std::string& wanted,
                       int threads);

}  // namespace halogen
