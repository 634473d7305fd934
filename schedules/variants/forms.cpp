#include "schedules/variants/forms.h"

#include "frontend/plan/columns_first.h"
#include "frontend/plan/deferred.h"
#include "frontend/plan/factored.h"
#include "frontend/plan/folded.h"
#include "frontend/plan/gathered.h"
#include "frontend/plan/hoisted.h"
#include "frontend/plan/joined.h"
#include "frontend/plan/pairwise.h"
#include "frontend/plan/phased.h"
#include "frontend/plan/pointwise.h"
#include "frontend/plan/reciprocals.h"
#include "frontend/plan/rolled.h"
#include "frontend/plan/separated.h"
#include "frontend/plan/side_by_side.h"
#include "frontend/plan/summed.h"
#include "frontend/plan/unpadded.h"
#include "frontend/plan/vector_dim_last.h"
#include "frontend/plan/written_out.h"
#include "frontend/solve/same_calls.h"
#include "frontend/solve/solve.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// Every size is open but those given.
Solution solve_under(const Kernel& kernel, const Settings& sizes) {
    Settings settings;
    for (const SizeParam& size : kernel.sizes) settings[size.name] = std::nullopt;
    if (!sizes.empty())  // else the solver would choose some that the given ones leave open
        for (const std::string& symbol : solve(kernel, settings).value().symbols) settings[symbol] = std::nullopt;
    for (const auto& [name, value] : sizes) settings[name] = value;
    return solve(kernel, settings).value();
}

/// The rewritten kernel, solved under `sizes`, if there is one and it takes the calls of the open one.
std::optional<Form> solved_alike(std::optional<Kernel> rewritten, const Settings& sizes, const Solution& open) {
    if (!rewritten) return std::nullopt;
    auto solution = guarded([&] { return solve_under(*rewritten, sizes); });
    if (!solution || !takes_the_same_calls(*rewritten, solution.value(), open)) return std::nullopt;
    return Form{std::move(*rewritten), std::move(solution).value()};
}

/// The kernel without windows that `sizes` tells to be points, and padding that is none, with rolled rows in two parts, points gathered
/// that were scattered (by phases where `sizes` tells how far apart), factors summed by pairs, windows reduced a dim at a time, the dim of
/// intermediates last that vectors run along, steps in the memory of a few, parts of tensors joined, sums made before they are scattered, chosen or divided, and factors and functions (two of an equation) made
/// before they are used again, where that leaves all sizes as they are.
std::optional<Form> rewritten_form(const Kernel& kernel, const Solution& open, const Settings& sizes) {
    auto by_sizes = phased(kernel, open, sizes);
    if (!by_sizes) by_sizes = pointwise(kernel, open, sizes);
    const Settings known = by_sizes ? sizes : Settings();
    const Solution solution = known.empty() ? open : solve_under(kernel, known);
    std::optional<Form> form = solved_alike(std::move(by_sizes), known, solution);
    for (const auto rewrite :
         {unpadded, rolled, gathered, deferred, hoisted, hoisted, with_reciprocals, pairwise, pairwise, separated,
          separated, summed, vector_dim_last, folded, side_by_side, factored, joined}) {
        auto next =
            solved_alike(form ? rewrite(form->kernel, form->solution) : rewrite(kernel, solution), known, solution);
        if (next) form = std::move(next);
    }
    return form;
}

/// The form in which all variants of a kernel compute it.
Form common_form(const Kernel& kernel, const Solution& open, const Variant& variant) {
    if (!variant.rewritten) return {kernel, open};
    if (auto form = rewritten_form(kernel, open, sizes_in(variant.when))) return std::move(*form);
    throw Failure(
        {ErrorKind::schedule,
         fmt::format("variant `{}` rewrites equations, and the kernel has none that it would", called(variant)),
         {},
         {},
         "use the history with the kernel it was made for"});
}

/// With neighbouring dims as one: declared extents that follow from others are left to be found, or else written as they are.
std::optional<Form> merged_form(const Form& form) {
    for (const bool declares : {false, true}) {
        auto merging = merged(form.kernel, form.solution, declares);
        if (!merging) continue;
        auto solution = guarded([&] { return solve_under(merging->kernel, {}); });
        if (solution && keeps_sizes(*merging, solution.value(), form.solution))
            return Form{std::move(merging->kernel), std::move(solution).value(), std::move(merging->runs)};
    }
    return std::nullopt;
}

/// Without padding that is none, with small windows reduced down columns first, and with others and short rows written out, added to what
/// their tensors began with, where that leaves all sizes as they are.
Form as_known(Form form, const Settings& sizes) {
    const auto takes = [&](const auto rewrite) {
        auto next = solved_alike(rewrite(form.kernel, form.solution), sizes, form.solution);
        if (!next) return false;
        next->runs = std::move(form.runs);
        form = std::move(*next);
        return true;
    };
    takes(unpadded);
    takes(columns_first);
    if (takes(written_out)) takes(joined);
    return form;
}

}  // namespace

Form form_of(const Kernel& kernel, const Solution& open, const Variant& variant) {
    const Settings sizes = sizes_in(variant.when);
    Form form = common_form(kernel, open, variant);
    if (!variant.merged) {
        if (!sizes.empty()) form.solution = solve_under(form.kernel, sizes);
        return as_known(std::move(form), sizes);
    }
    auto merging = merged_form(form);
    if (!merging)
        throw Failure({ErrorKind::schedule,
                       fmt::format("variant `{}` merges dims, and the kernel has none that run on", variant.name),
                       {},
                       {},
                       "use the history with the kernel it was made for"});
    Settings kept = sizes;
    std::erase_if(kept,
                  [&](const auto& size) { return !merging->solution.sizes.count(size.first); });  // a merged dim's own
    if (!kept.empty()) merging->solution = solve_under(merging->kernel, kept);
    return as_known(std::move(*merging), kept);
}

bool is_rewritten(const Kernel& kernel, const Solution& open, const Facts& facts) {
    const auto form = guarded([&] { return rewritten_form(kernel, open, sizes_in(facts)); });
    return form && form.value();  // no call may have such sizes
}

}  // namespace halogen
