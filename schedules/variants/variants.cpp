#include "schedules/variants/variants.h"

#include "schedules/recipes/recipe.h"
#include "schedules/variants/following.h"
#include "schedules/variants/ways.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace halogen {

namespace {

void check_dims(const Kernel& kernel, const Condition::Term& place) {
    using Kind = Condition::Term::Kind;
    if (place.kind == Kind::apart || place.kind == Kind::threads_at_most) return;
    const int rank = kernel.tensor(place.tensor).rank;
    for (const int dim : {place.dim, place.kind == Kind::stride_below ? place.other : 0})
        if (dim < 0 || dim >= rank)
            throw Failure(
                {ErrorKind::name,
                 fmt::format("`{}` has dims 0 to {}, and a fact is about dim {}", place.tensor, rank - 1, dim),
                 {},
                 {},
                 "name one of them"});
}

void check_names(const Kernel& kernel, const Solution& open, const Facts& facts) {
    const auto check = [&](bool known, const std::string& name, const char* what, const std::vector<std::string>& all) {
        if (known) return;
        throw Failure({ErrorKind::name,
                       fmt::format("the kernel has no {} `{}`, which a fact is about", what, name),
                       {},
                       {},
                       all.empty() ? fmt::format("it has no {} at all", what)
                                   : fmt::format("choose among {}", fmt::join(all, ", "))});
    };
    std::vector<std::string> sizes, tensors;
    for (const auto& [name, formula] : open.sizes) sizes.push_back(name);
    for (const Tensor& tensor : kernel.tensors)
        if (has_elements(tensor)) tensors.push_back(tensor.name);
    for (const CallFact& fact : facts) {
        for (const Formula* side : {&fact.left, &fact.right})
            for (const std::string& name : side->symbols()) check(open.sizes.count(name) > 0, name, "size", sizes);
        for (const std::string& name : {fact.tensor, fact.place.tensor, fact.place.with})
            if (!name.empty())
                check(std::find(tensors.begin(), tensors.end(), name) != tensors.end(), name, "input or output",
                      tensors);
        if (fact.kind == CallFact::Kind::place) check_dims(kernel, fact.place);
    }
}

/// "R3_S3" of `R == 3 and S == 3`; of other facts the number of the variant.
std::string name_of(const Facts& facts, std::size_t number) {
    std::string name;
    for (const CallFact& fact : facts) {
        const auto size = fact.left.as_symbol();
        const auto value = fact.right.constant();
        if (fact.kind != CallFact::Kind::equal || !size || !value || *value < 0 || size->find('.') != std::string::npos)
            return fmt::format("for{}", number);
        name += fmt::format("{}{}{}", name.empty() ? "" : "_", *size, *value);
    }
    return name;
}

void keep_only(std::vector<Variant>& variants, const std::vector<std::string>& names) {
    for (const std::string& name : names) find_variant(variants, name);
    std::erase_if(variants, [&](const Variant& v) {
        return !v.when.empty() && std::find(names.begin(), names.end(), called(v)) == names.end();
    });
    for (Variant& v : variants)
        if (v.way.empty()) v.ways_of.clear();  // some of them may be gone
}

}  // namespace

std::vector<Variant> variants_of(const Kernel& kernel, const Solution& open, const Leg& leg,
                                 const VariantWishes& wishes) {
    std::vector<Variant> variants;
    const bool rewrites = is_rewritten(kernel, open);
    for (const Facts& facts : wishes.wanted) {
        check_names(kernel, open, facts);
        variants.push_back({name_of(facts, variants.size() + 1), facts, false, is_rewritten(kernel, open, facts)});
        form_of(kernel, open, variants.back());
    }
    for (const Variant& variant : following_variants(kernel, open, rewrites)) {
        const bool asked =
            std::any_of(variants.begin(), variants.end(), [&](const Variant& v) { return v.name == variant.name; });
        if (!asked && static_cast<int>(variants.size() - wishes.wanted.size()) + 1 < wishes.most)
            variants.push_back(variant);
    }
    variants.push_back({"", {}, false, rewrites});
    variants = with_ways(kernel, open, leg, variants, wishes.most + static_cast<int>(wishes.wanted.size()));
    if (!wishes.only.empty()) keep_only(variants, wishes.only);
    return variants;
}

const Variant& find_variant(const std::vector<Variant>& variants, const std::string& name) {
    std::vector<std::string> known;
    for (const Variant& variant : variants) {
        known.push_back(called(variant));
        if (known.back() == name) return variant;
    }
    throw Failure({ErrorKind::name,
                   fmt::format("the kernel has no variant `{}`", name),
                   {},
                   {},
                   fmt::format("choose among {}", fmt::join(known, ", "))});
}

History schedule_of(const Kernel& kernel, const Form& form, const Variant& variant, const Leg& leg,
                    const KnobValues& estimates, const std::vector<Record>& own) {
    if (auto found = recorded_history(own, kernel, variant, leg, estimates)) return *found;
    if (auto found = recorded_history(builtin_records(), kernel, variant, leg, estimates)) return *found;
    return recipe_of(form, variant, leg, {});
}

History recipe_of(const Form& form, const Variant& variant, const Leg& leg, const KnobValues& chosen) {
    const auto under = [&](const KnobValues& knobs) {
        History history = recipe(form.kernel, form.solution, machine_of(leg), knobs, variant.when);
        history.variant = variant;
        keep_way(history, form);
        return history;
    };
    History history = under(chosen);
    if (variant.ways_of.empty()) return history;
    std::erase_if(history.header.knobs, [&](const Knob& knob) {  // those of other ways alone
        KnobValues other = chosen;
        other[knob.name] = knob.value == knob.domain.front() ? knob.domain.back() : knob.domain.front();
        return under(other).steps == history.steps;
    });
    return history;
}

}  // namespace halogen
