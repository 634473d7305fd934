#include "frontend/solve/access_form.h"

#include <algorithm>

namespace halogen {

namespace {

bool is_any(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool mentions_any(const Formula& f, const std::vector<std::string>& names) {
    bool found = false;
    f.for_each_symbol([&](const std::string& name) { found = found || is_any(name, names); });
    return found;
}

/// Adds `place` * `stride` to the form; false when the place is not affine in the indices.
bool add_place(AccessForm& form, const Formula& place, const Formula& stride, const std::vector<std::string>& indices) {
    for (const auto& [m, c] : place.terms()) {
        Formula::Monomial::Atoms others;
        const std::string* index = nullptr;
        for (const auto& atom : m) {
            const bool is_index = atom->kind == Formula::Atom::Kind::symbol && is_any(atom->name, indices);
            if (is_index ? index != nullptr : mentions_any(Formula(atom), indices)) return false;
            if (is_index)
                index = &atom->name;
            else
                others.push_back(atom);
        }
        const Formula step = Formula::term(std::move(others), c) * stride;
        Formula& sum = index ? form.strides[*index] : form.offset;
        sum = sum + step;
    }
    return true;
}

using Places = std::vector<std::optional<Formula>>;

Places places_of(const Use& use) {
    Places places;
    for (const Place& p : use.places) places.push_back(p.formula);
    return places;
}

/// Views that take no storage, by the equation that defines them.
using Views = std::map<std::string, int>;

Views views_of(const KernelModel& model) {
    Views views;
    for (int e = 0; e < static_cast<int>(model.kernel.equations.size()); ++e) {
        const Equation& eq = model.kernel.equations[e];
        if (eq.op != Op::assign || !eq.right.as<Access>()) continue;
        const Tensor& t = model.kernel.tensor(eq.left.tensor);
        if (t.role == Role::intermediate && is_view(model.kernel, t.name)) views.emplace(t.name, e);
    }
    return views;
}

/// An access to a view as one to what it views, again and again; false when the view's places cannot be read off.
bool compose(const KernelModel& model, const Views& views, std::string& tensor, Places& places) {
    const auto view = views.find(tensor);
    if (view == views.end()) return false;
    const auto uses = model.uses_of(view->second);
    std::map<std::string, Formula> values;
    for (std::size_t d = 0; d < places.size(); ++d) {
        const auto& index = uses[0].places[d].bare;
        if (!index || !places[d] || !values.emplace(*index, *places[d]).second) return false;
    }
    Places composed = places_of(uses[1]);
    for (auto& p : composed) {
        if (!p) return false;
        p = p->substitute(values);
    }
    tensor = uses[1].access->tensor;
    places = std::move(composed);
    return true;
}

std::string text_of(const std::string& tensor, const Places& places) {
    std::string text = tensor + "[";
    for (std::size_t d = 0; d < places.size(); ++d) text += (d ? ", " : "") + print(*places[d]);
    return text + "]";
}

AccessForm form_of(const KernelModel& model, const Views& views, const Solution& s, const Use& use) {
    std::string tensor = use.access->tensor, text = use.text;
    Places places = places_of(use);
    while (!use.is_left && compose(model, views, tensor, places)) text = text_of(tensor, places);
    const auto& indices = model.indices[use.equation];
    const auto size_of = [&](const std::string& name) -> const Formula* {
        if (is_any(name, indices)) return nullptr;
        const auto at = s.sizes.find(name);
        return at == s.sizes.end() ? nullptr : &at->second;
    };
    for (auto& p : places) {
        if (p) p = p->substitute(size_of);
    }
    AccessForm form = access_form(places, s.extents.at(tensor), indices);
    form.equation = use.equation;
    form.tensor = std::move(tensor);
    form.text = std::move(text);
    form.is_left = use.is_left;
    return form;
}

}  // namespace

AccessForm access_form(const Places& places, const std::vector<Formula>& extents,
                       const std::vector<std::string>& indices) {
    AccessForm form;
    Formula stride = 1;
    for (std::size_t d = places.size(); d-- > 0 && form.affine;) {
        form.affine = places[d] && add_place(form, *places[d], stride, indices);
        if (d > 0) stride = stride * extents[d];
    }
    if (!form.affine) {
        form.offset = 0;
        form.strides.clear();
    }
    std::erase_if(form.strides, [](const auto& entry) { return entry.second == Formula(0); });
    return form;
}

std::vector<AccessForm> access_forms(const KernelModel& model, const Solution& s) {
    const Views views = views_of(model);
    std::vector<AccessForm> forms;
    forms.reserve(model.uses.size());
    for (const Use& use : model.uses) forms.push_back(form_of(model, views, s, use));
    return forms;
}

}  // namespace halogen
