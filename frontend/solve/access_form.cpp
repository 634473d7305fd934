#include "frontend/solve/access_form.h"

#include "frontend/solve/model.h"

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

/// What the elements of a tensor are elements of, at places over the indices on the left of its equation.
struct Seen {
    std::string tensor;
    Places places;
};

/// The views that take no storage, each seen through all views below it.
class Views {
public:
    explicit Views(const KernelModel& model) : model_(model) {
        std::map<int, std::string> in_order;  // so that what a view reads is seen through before it
        auto views = views_of(model.kernel);
        for (const Tensor* output : model.kernel.outputs()) views.erase(output->name);
        for (const auto& [tensor, equation] : views) in_order.emplace(equation, tensor);
        for (const auto& [equation, tensor] : in_order) {
            const Use& read = model.uses_of(equation)[1];
            Seen seen{read.access->tensor, places_of(read)};
            see_through(seen);
            seen_.emplace(tensor, Entry{equation, std::move(seen)});
        }
    }

    /// An access to a view as one to what it views; false where it is none, or its places cannot be read off.
    bool see_through(Seen& access) const {
        const auto view = seen_.find(access.tensor);
        if (view == seen_.end()) return false;
        const auto& [equation, below] = view->second;
        const Use& left = model_.uses_of(equation)[0];
        std::map<std::string, Formula> values;
        for (std::size_t d = 0; d < access.places.size(); ++d) {
            const auto& index = left.places[d].bare;
            if (!index || !access.places[d] || !values.emplace(*index, *access.places[d]).second) return false;
        }
        Places composed = below.places;
        for (auto& p : composed) {
            if (!p) return false;
            p = p->substitute(values);
        }
        access = {below.tensor, std::move(composed)};
        return true;
    }

private:
    struct Entry {
        int equation;
        Seen below;
    };

    const KernelModel& model_;
    std::map<std::string, Entry> seen_;
};

std::string text_of(const std::string& tensor, const Places& places) {
    std::string text = tensor + "[";
    for (std::size_t d = 0; d < places.size(); ++d) text += (d ? ", " : "") + print(*places[d]);
    return text + "]";
}

AccessForm form_of(const KernelModel& model, const Views& views, const Solution& s, const Use& use) {
    Seen seen{use.access->tensor, places_of(use)};
    const bool is_composed = !use.is_left && views.see_through(seen);
    auto& [tensor, places] = seen;
    std::string text = is_composed ? text_of(tensor, places) : use.text;
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

std::vector<AccessForm> access_forms(const Kernel& kernel, const Solution& s) {
    const KernelModel model(kernel);
    const Views views(model);
    std::vector<AccessForm> forms;
    forms.reserve(model.uses.size());
    for (const Use& use : model.uses) forms.push_back(form_of(model, views, s, use));
    return forms;
}

}  // namespace halogen
