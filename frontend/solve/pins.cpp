#include "frontend/solve/pins.h"

#include "frontend/notation/symbol.h"
#include "frontend/solve/settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// The ranges that the equation tells.
void tell_ranges(Sizes& s, int equation) {
    for (const auto& [index, range] : s.model->ranges[equation]) {
        IndexModel& told = s.indices[equation][index];
        told.min = range.begin;
        told.extent = range.end - range.begin;
        told.fixed = true;
    }
}

/// A dim over which an index runs.
struct Pin {
    const Use* use;
    int d;
    const DimModel* dim;
};

std::vector<Pin> pins_of(const KernelModel& model, int equation, const std::string& index) {
    std::vector<Pin> pins;
    for (const Use& use : model.uses_of(equation)) {
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            if (use.places[d].bare == index && !model.is_stencil_read(use, d, index))
                pins.push_back({&use, d, &KernelModel::dim(use, d)});
        }
    }
    return pins;
}

/// The first dim that has a name stands for all.
void pin_index(Sizes& s, int equation, const std::string& index) {
    const auto pins = pins_of(*s.model, equation, index);
    IndexModel& range = s.indices[equation][index];
    if (pins.empty()) {
        const std::string own = Symbol::extent(index, equation).text();
        s.classes.add(own, 3);
        range.extent = Formula::symbol(own);
        return;
    }
    auto anchor = std::find_if(pins.begin(), pins.end(), [](const Pin& p) { return p.dim->name.has_value(); });
    if (anchor == pins.end()) anchor = pins.begin();
    range.extent = anchor->dim->extent;
    for (auto p = pins.begin(); p != pins.end(); ++p) {
        if (p == anchor) continue;
        const auto& first = p < anchor ? *p : *anchor;
        const auto& second = p < anchor ? *anchor : *p;
        if (p->dim->name && anchor->dim->name) {
            join(s, *first.dim->name, *second.dim->name, {equation, index, first.use->text, second.use->text});
        } else if (!(p->dim->extent == anchor->dim->extent)) {
            s.equalities.push_back(
                {anchor->dim->extent,
                 p->dim->extent,
                 {equation, p->use->access->tensor, p->d, index,
                  fmt::format("index `{}` has one extent in {} and {}", index, first.use->text, second.use->text)}});
        }
    }
}

/// A number for an index holds in every equation that uses it.
void give_index(Sizes& s, const std::string& index, std::int64_t value) {
    for (int e = 0; e < static_cast<int>(s.indices.size()); ++e) {
        const auto at = s.indices[e].find(index);
        if (at == s.indices[e].end()) continue;
        const Formula& extent = at->second.extent;
        if (const auto name = extent.as_symbol(); name && s.classes.has(*name)) {
            set_number(s, *name, value, index);
        } else {
            const Reason why{e, "", -1, index, fmt::format("index `{}` is given", index)};
            s.equalities.push_back({extent, value, why, false, true});
        }
    }
}

}  // namespace

Sizes&& pin_indices(Sizes&& s, const Settings& known) {
    for (int e = 0; e < static_cast<int>(s.indices.size()); ++e) tell_ranges(s, e);
    for (int e = 0; e < static_cast<int>(s.indices.size()); ++e) {
        for (const auto& index : s.model->indices[e]) {
            if (!s.model->ranges[e].contains(index)) pin_index(s, e, index);
        }
    }
    for (const auto& [name, value] : known) {
        if (value && !s.classes.has(name) && Symbol::of(name).is_size()) give_index(s, name, *value);
    }
    return std::move(s);
}

}  // namespace halogen
