#include "generators/compile/manifest.h"

#include "frontend/notation/key.h"

#include <nlohmann/json.hpp>

namespace halogen {
namespace {

using Json = nlohmann::ordered_json;

std::string to_text(Role role) {
    return role == Role::input ? "input" : role == Role::output ? "output" : "intermediate";
}

Json tensors_of(const Kernel& kernel, const Solution& solution) {
    Json all = Json::array();
    for (const Tensor& tensor : kernel.tensors) {
        Json extents = Json::array();
        for (const Formula& extent : solution.extents.at(tensor.name)) extents.push_back(print(extent));
        all.push_back({{"name", tensor.name},
                       {"type", to_string(tensor.type)},
                       {"role", to_text(tensor.role)},
                       {"extents", extents}});
    }
    return all;
}

Json parameters_of(const Kernel& kernel) {
    Json all = Json::array();
    for (const Parameter& parameter : kernel.parameters) {
        Json one{{"name", parameter.name}};
        if (parameter.sort == Parameter::Sort::tensor) one["sort"] = "tensor";
        if (parameter.sort == Parameter::Sort::size) {
            one["sort"] = "size";
            if (const auto value = kernel.find_size(parameter.name)->default_value) one["default"] = *value;
        }
        if (parameter.sort == Parameter::Sort::scalar) {
            one["sort"] = "scalar";
            one["type"] = to_string(kernel.find_scalar(parameter.name)->type);
        }
        all.push_back(one);
    }
    return all;
}

Json symbols_of(const Solution& solution) {
    Json all = Json::array();
    for (const std::string& name : solution.symbols) {
        Json one{{"name", name}};
        if (const auto found = solution.sources.find(name); found != solution.sources.end()) {
            if (found->second.tensor.empty())
                one["from"] = "parameter";
            else
                one["from"] = found->second.tensor + "." + std::to_string(found->second.dim);
        }
        all.push_back(one);
    }
    return all;
}

Json guards_of(const Solution& solution) {
    Json all = Json::array();
    for (const Guard& guard : solution.guards) all.push_back({{"condition", print(guard)}, {"reason", guard.reason}});
    return all;
}

Json legs_of(const CompileReport& report) {
    Json all = Json::array();
    for (const CompiledLegReport& leg : report.legs) {
        Json one{{"name", leg.name},
                 {"target", leg.halide_target},
                 {"symbol", leg.symbol},
                 {"needs_sse4a", leg.needs_sse4a},
                 {"history", leg.history}};
        for (const CompiledVariantReport& v : leg.variants)
            one["variants"].push_back({{"name", v.variant.name},
                                       {"when", print(v.variant.when)},
                                       {"symbol", v.symbol},
                                       {"history", v.history}});
        if (!leg.check_symbol.empty()) one["check_symbol"] = leg.check_symbol;
        if (!leg.reversed_symbol.empty()) {
            one["reversed_symbol"] = leg.reversed_symbol;
            one["reversed_history"] = leg.reversed_history;
        }
        all.push_back(one);
    }
    return all;
}

}  // namespace

std::string emit_manifest(const Kernel& kernel, const Solution& solution, const CompileReport& report,
                          const std::map<std::string, std::int64_t>& estimates, const CompileOptions& options,
                          const std::vector<std::pair<int, int>>& in_place) {
    Json manifest{{"name", report.name}, {"kernel", print(kernel)}, {"key", canonical_key(kernel)}};
    manifest["tensors"] = tensors_of(kernel, solution);
    manifest["parameters"] = parameters_of(kernel);
    manifest["symbols"] = symbols_of(solution);
    manifest["guards"] = guards_of(solution);
    Json pairs = Json::array();
    for (const auto& [input, output] : in_place) {
        pairs.push_back({{"input", kernel.inputs()[static_cast<std::size_t>(input)]->name},
                         {"output", kernel.outputs()[static_cast<std::size_t>(output)]->name}});
    }
    manifest["in_place"] = pairs;
    manifest["features"] = options.features;
    manifest["estimates"] = estimates;
    manifest["legs"] = legs_of(report);
    return manifest.dump(2) + "\n";
}

}  // namespace halogen
