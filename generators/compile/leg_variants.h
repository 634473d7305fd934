#pragma once
// The variants of a kernel's legs.

#include "generators/compile/header_input.h"
#include "generators/compile/report.h"
#include "schedules/machine/machine.h"
#include "schedules/variants/variants.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace halogen {

/// Vectors of one leg are longer than those of another, and so are the rows that a variant is for: each leg has variants of its own.
class LegVariants {
public:
    /// Those of the histories that the options give, for every leg, or of the recipes'. Errors: Failure, as `variants_of` and `form_of`;
    /// schedule: the last one does not serve every call.
    LegVariants(const Kernel&, const Solution& open, const std::vector<Leg>&, const CompileOptions&);

    /// Those of all legs before the last ones, in the order of each leg.
    const std::vector<CompiledVariant>& offered() const { return offered_; }
    /// What the leg has as one of them, with its own branches; null where it has none.
    const Variant* find(const Leg&, const Variant&) const;
    /// The leg's own that serves every call; all legs' are of one form.
    const Variant& last(const Leg& leg) const { return of_legs_.at(leg.name).back(); }
    const Form& last_form() const { return last_form_; }

private:
    void offer(const std::vector<Variant>& own, const Kernel&, const Solution& open);

    std::map<std::string, std::vector<Variant>> of_legs_;
    std::vector<CompiledVariant> offered_;
    Form last_form_;
};

}  // namespace halogen
