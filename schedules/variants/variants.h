#pragma once
// One kernel, several schedules, each for calls of which something is known.

#include "frontend/base/error.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"
#include "schedules/records/record.h"
#include "schedules/variants/forms.h"

#include <string>
#include <vector>

namespace halogen {

/// Three forms of the kernel, say, each with three ways through its branches.
constexpr int default_most_variants = 12;

/// What a user asks for beside the variants that follow from the kernel.
struct VariantWishes {
    std::vector<Facts> wanted = {};      // each a variant in front, in this order
    int most = default_most_variants;    // beside those, the last one, which serves every call, included
    std::vector<std::string> only = {};  // when there are any: these and the last one
};

/// The variants of a kernel on a leg, in the order in which a call is offered them; the last serves every call. Where two fifths or more of a
/// long history would be branches for other calls, each way through them is a variant, if there is room.
/// Errors: Failure(name): a fact of a size or tensor that the kernel has not, a variant in `only` that it has not;
/// Failure, what `solve` gives when the facts contradict the kernel.
std::vector<Variant> variants_of(const Kernel&, const Solution& open, const Leg&, const VariantWishes& = {});

/// The one called `name`. Errors: Failure(name).
const Variant& find_variant(const std::vector<Variant>&, const std::string& name);

/// The schedule of one of a kernel's variants: that of a record of it, in `own` or built in, else the recipe's under its facts.
History schedule_of(const Kernel&, const Form&, const Variant&, const Leg&, const KnobValues& estimates = {},
                    const std::vector<Record>& own = {});
/// The recipe's, with other decisions; what is not among them changes nothing.
History recipe_of(const Form&, const Variant&, const Leg&, const KnobValues& chosen);

}  // namespace halogen
