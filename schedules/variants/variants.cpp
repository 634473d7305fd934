#include "schedules/variants/variants.h"

#include "schedules/recipes/recipe.h"
#include "schedules/variants/following.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace halogen {

namespace {

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
        if (fact.kind != CallFact::Kind::dense) continue;
        check(std::find(tensors.begin(), tensors.end(), fact.tensor) != tensors.end(), fact.tensor, "input or output",
              tensors);
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
}

}  // namespace

std::vector<Variant> variants_of(const Kernel& kernel, const Solution& open, const VariantWishes& wishes) {
    std::vector<Variant> variants;
    const bool rewrites = is_rewritten(kernel, open);
    for (const Facts& facts : wishes.wanted) {
        check_names(kernel, open, facts);
        variants.push_back({name_of(facts, variants.size() + 1), facts, false, rewrites});
        form_of(kernel, open, variants.back());
    }
    for (const Variant& variant : following_variants(kernel, open, rewrites)) {
        const bool asked =
            std::any_of(variants.begin(), variants.end(), [&](const Variant& v) { return v.name == variant.name; });
        if (!asked && static_cast<int>(variants.size() - wishes.wanted.size()) + 1 < wishes.most)
            variants.push_back(variant);
    }
    variants.push_back({"", {}, false, rewrites});
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
    History history = recipe(form.kernel, form.solution, machine_of(leg), chosen, variant.when);
    history.variant = variant;
    return history;
}

}  // namespace halogen
