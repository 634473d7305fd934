#include "frontend/access_form.h"

#include "frontend/hull.h"
#include "frontend/place.h"

#include <algorithm>

namespace halogen {

namespace {

bool mentions_any(const Formula& f, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const auto& n) { return mentions(f, n); });
}

/// Adds `place` * `stride` to the form; false when the place is not affine in the indices.
bool add_place(AccessForm& form, const Formula& place, const Formula& stride, const std::vector<std::string>& indices) {
    for (const auto& [m, c] : place.terms()) {
        Formula factor = c;
        std::string index;
        for (const auto& atom : m) {
            const bool is_index = atom->kind == Formula::Atom::Kind::symbol &&
                                  std::find(indices.begin(), indices.end(), atom->name) != indices.end();
            if (is_index ? !index.empty() : mentions_any(Formula(atom), indices)) return false;
            if (is_index)
                index = atom->name;
            else
                factor = factor * Formula(atom);
        }
        if (index.empty())
            form.offset = form.offset + factor * stride;
        else
            form.strides[index] = form.strides[index] + factor * stride;
    }
    return true;
}

using Places = std::vector<std::optional<Formula>>;

Places places_of(const Access& a) {
    Places places;
    std::vector<Formula> divisors;
    for (const Expr& e : a.at) places.push_back(depends_on_data(e) ? std::nullopt : place_formula(e, divisors));
    return places;
}

/// An access to a view as one to what it views, again and again; false when the view's places cannot be read off.
bool compose(const Kernel& kernel, std::string& tensor, Places& places) {
    const auto& t = kernel.tensor(tensor);
    if (t.role != Role::intermediate || !is_view(kernel, tensor)) return false;
    const auto eq = std::find_if(kernel.equations.begin(), kernel.equations.end(),
                                 [&](const Equation& e) { return e.left.tensor == tensor; });
    std::map<std::string, Formula> values;
    for (std::size_t d = 0; d < places.size(); ++d) {
        const auto index = bare_index(eq->left.at[d]);
        if (!index || !places[d] || !values.emplace(*index, *places[d]).second) return false;
    }
    const auto* source = eq->right.as<Access>();
    if (!source) return false;
    Places composed = places_of(*source);
    for (auto& p : composed) {
        if (!p) return false;
        p = p->substitute(values);
    }
    tensor = source->tensor;
    places = std::move(composed);
    return true;
}

std::string text_of(const std::string& tensor, const Places& places) {
    std::string text = tensor + "[";
    for (std::size_t d = 0; d < places.size(); ++d) text += (d ? ", " : "") + print(*places[d]);
    return text + "]";
}

AccessForm form_of(const Kernel& kernel, const Solution& s, int equation, const Access& a, bool is_left) {
    std::string tensor = a.tensor;
    Places places = places_of(a);
    std::string text = print(Expr(ExprNode{a}));
    while (!is_left && compose(kernel, tensor, places)) text = text_of(tensor, places);
    const auto indices = indices_of(kernel.equations[equation]);
    for (auto& p : places) {
        if (!p) continue;
        std::map<std::string, Formula> values;
        for (const auto& name : p->symbols()) {
            const auto at = s.sizes.find(name);
            if (at != s.sizes.end() && std::find(indices.begin(), indices.end(), name) == indices.end())
                values.emplace(name, at->second);
        }
        p = p->substitute(values);
    }
    AccessForm form = access_form(places, s.extents.at(tensor), indices);
    form.equation = equation;
    form.tensor = tensor;
    form.text = text;
    form.is_left = is_left;
    return form;
}

}  // namespace

AccessForm access_form(const Places& places, const std::vector<Formula>& extents,
                       const std::vector<std::string>& indices) {
    AccessForm form;
    Formula stride = 1;
    for (std::size_t d = places.size(); d-- > 0 && form.affine;) {
        form.affine = places[d] && add_place(form, *places[d], stride, indices);
        stride = stride * extents[d];
    }
    if (!form.affine) {
        form.offset = 0;
        form.strides.clear();
    }
    std::erase_if(form.strides, [](const auto& entry) { return entry.second == Formula(0); });
    return form;
}

std::vector<AccessForm> access_forms(const Kernel& kernel, const Solution& s) {
    std::vector<AccessForm> forms;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        const Equation& eq = kernel.equations[e];
        const auto add_reads = [&](const Expr& expr) {
            walk(expr, [&](const Expr& part) {
                if (const auto* a = part.as<Access>()) forms.push_back(form_of(kernel, s, e, *a, false));
            });
        };
        forms.push_back(form_of(kernel, s, e, eq.left, true));
        for (const Expr& place : eq.left.at) add_reads(place);
        add_reads(eq.right);
        for (const Where& w : eq.where) {
            if (const auto* predicate = std::get_if<Expr>(&w)) add_reads(*predicate);
        }
    }
    return forms;
}

}  // namespace halogen
