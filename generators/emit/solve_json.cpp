#include "generators/emit/solve_json.h"

#include "frontend/notation/key.h"
#include "frontend/solve/access_form.h"
#include "frontend/solve/view.h"

namespace halogen {

namespace {

using Json = nlohmann::json;

/// Forms by name: one form where all agree, else the list of all that differ.
class Forms {
public:
    void add(const std::string& name, int equation, Json form) {
        auto& list = forms_[name];
        for (const auto& [e, known] : list) {
            if (known == form) return;
        }
        list.emplace_back(equation, std::move(form));
    }
    Json all() const {
        Json object = Json::object();
        for (const auto& [name, list] : forms_) {
            if (list.size() == 1) {
                object[name] = list[0].second;
                continue;
            }
            for (auto [equation, form] : list) {
                if (form.is_object()) form["equation"] = equation;
                object[name].push_back(form);
            }
        }
        return object;
    }

private:
    std::map<std::string, std::vector<std::pair<int, Json>>> forms_;
};

Json access_json(const AccessForm& a) {
    if (!a.affine) return nullptr;
    Json strides = Json::object();
    for (const auto& [index, stride] : a.strides) strides[index] = formula_json(stride);
    return {{"offset", formula_json(a.offset)}, {"strides", strides}};
}

Json view_json(const TensorView& v) {
    Json out{{"tensor", v.tensor}, {"base", v.base}, {"zero_copy", v.zero_copy}};
    if (!v.zero_copy) {
        out["reason"] = v.reason;
        return out;
    }
    out["offset"] = formula_json(v.offset);
    out["strides"] = Json::array();
    for (const Formula& stride : v.strides) out["strides"].push_back(formula_json(stride));
    return out;
}

}  // namespace

nlohmann::json formula_json(const Formula& f) {
    if (const auto c = f.constant()) return *c;
    return print(f);
}

nlohmann::json solution_json(const Kernel& kernel, const Solution& s) {
    Json out{{"status", "ok"},           {"key", canonical_key(kernel)}, {"symbols", s.symbols},
             {"guards", Json::array()},  {"reasons", Json::array()},     {"sizes", Json::object()},
             {"extents", Json::object()}};
    for (const auto& [name, value] : s.sizes) out["sizes"][name] = formula_json(value);
    for (const Tensor& t : kernel.tensors) {
        out["extents"][t.name] = Json::array();
        for (const Formula& extent : s.extents.at(t.name)) out["extents"][t.name].push_back(formula_json(extent));
    }
    Forms indices, access;
    for (std::size_t e = 0; e < s.indices.size(); ++e) {
        for (const auto& [index, r] : s.indices[e])
            indices.add(index, static_cast<int>(e),
                        {{"min", formula_json(r.min)}, {"extent", formula_json(r.extent)}, {"reduced", r.reduced}});
    }
    for (const AccessForm& a : access_forms(kernel, s)) access.add(a.tensor, a.equation, access_json(a));
    out["indices"] = indices.all();
    out["access"] = access.all();
    for (const TensorView& v : views(kernel, s)) out["views"].push_back(view_json(v));
    for (const Guard& g : s.guards) {
        out["guards"].push_back(print(g));
        out["reasons"].push_back(g.reason);
    }
    return out;
}

}  // namespace halogen
