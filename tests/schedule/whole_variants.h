#pragma once
// The forms in which a kernel is computed, each with all of its branches.

#include "schedules/machine/machine.h"
#include "schedules/variants/variants.h"

#include <vector>

namespace halogen {

/// The variants of a kernel but for those that are ways through the branches of others.
inline std::vector<Variant> whole_variants(const Kernel& kernel, const Solution& open,
                                           const VariantWishes& wishes = {}) {
    std::vector<Variant> variants = variants_of(kernel, open, *find_leg("avx2"), wishes);
    std::erase_if(variants, [](const Variant& v) { return !v.way.empty(); });
    for (Variant& variant : variants) variant.ways_of.clear();
    return variants;
}

}  // namespace halogen
