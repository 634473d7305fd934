#include "frontend/solve/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace halogen {

namespace {

void open_bare_dims(Sizes& s) {
    for (const Tensor* t : s.kernel().inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            const auto& name = s.model->dims.at(t->name)[d].name;
            if (!name || s.classes.value(*name)) continue;
            const bool has_parameter =
                s.classes.any_member(*name, [&](const std::string& m) { return s.kernel().find_size(m) != nullptr; });
            open_size(s, *name, has_parameter ? SymbolSource{} : SymbolSource{t->name, d});
        }
    }
}

/// The buffer gives a dim's extent, so what its formula stands for is known: an index over `Z: f32[N/2]` has Z.0 values.
void put_extent(std::span<Equality> pins, const Formula& declared, const Formula& extent) {
    for (Equality& e : pins) {
        if (e.given) continue;
        if (e.left == declared) e.left = extent;
        if (e.right == declared) e.right = extent;
    }
}

void open_declared_formulas(Sizes& s) {
    const std::size_t pins = s.equalities.size();
    for (const Tensor* t : s.kernel().inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            const DimModel& dim = s.model->dims.at(t->name)[d];
            if (dim.name || dim.extent.is_constant()) continue;
            if (s.classes.unknowns(s.resolve(dim.extent)).empty()) continue;
            const auto given = std::find_if(s.equalities.begin(), s.equalities.end(),
                                            [&](const Equality& e) { return e.given && e.left == dim.extent; });
            if (given != s.equalities.end()) {
                put_extent(std::span(s.equalities).first(pins), dim.extent, given->right);
                continue;
            }
            const std::string own = KernelModel::dim_name(t->name, d);
            const Reason why{-1, t->name, d, "",
                             fmt::format("dim {} of `{}` is declared as {}", d, t->name, print(dim.extent))};
            s.classes.add(own, 1);
            put_extent(std::span(s.equalities).first(pins), dim.extent, Formula::symbol(own));
            s.equalities.push_back({dim.extent, Formula::symbol(own), why});
            open_size(s, own, {t->name, d});
        }
    }
}

}  // namespace

Sizes&& open_inputs(Sizes&& s) {
    open_bare_dims(s);
    for (const SizeParam& p : s.kernel().sizes) {
        if (!s.classes.value(p.name)) open_size(s, p.name, {});
    }
    open_declared_formulas(s);
    return std::move(s);
}

}  // namespace halogen
