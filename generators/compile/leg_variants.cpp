#include "generators/compile/leg_variants.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

void check_serves_every_call(const Variant& last) {
    if (last.when.empty()) return;
    throw Failure({ErrorKind::schedule,
                   fmt::format("the last variant, `{}`, does not serve every call", called(last)),
                   {},
                   {},
                   "write one without `when` behind it: variant any:"});
}

}  // namespace

LegVariants::LegVariants(const Kernel& kernel, const Solution& open, const std::vector<Leg>& legs,
                         const CompileOptions& options) {
    for (const Leg& leg : legs) {
        std::vector<Variant>& own = of_legs_[leg.name];
        if (options.history.empty()) own = variants_of(kernel, open, leg, options.wishes);
        for (const History& history : options.history) own.push_back(history.variant);
        check_serves_every_call(own.back());
        offer(own, kernel, open);
    }
    last_form_ = form_of(kernel, open, last(legs.front()));
}

/// A variant that other legs have not stands behind the one that it follows on its own leg.
void LegVariants::offer(const std::vector<Variant>& own, const Kernel& kernel, const Solution& open) {
    auto next = offered_.begin();
    for (auto variant = own.begin(); variant != own.end() - 1; ++variant) {
        auto found = std::ranges::find(offered_, *variant, &CompiledVariant::variant);
        if (found == offered_.end()) {
            Form form = form_of(kernel, open, *variant);
            ArgumentList arguments{argument_names(form.kernel, form.solution),
                                   extent_arguments(form.kernel, form.solution)};
            found = offered_.insert(next, {*variant, std::move(form), std::move(arguments)});
        }
        next = found + 1;
    }
}

const Variant* LegVariants::find(const Leg& leg, const Variant& variant) const {
    const std::vector<Variant>& own = of_legs_.at(leg.name);
    const auto found = std::ranges::find(own, variant);
    return found == own.end() ? nullptr : &*found;
}

}  // namespace halogen
