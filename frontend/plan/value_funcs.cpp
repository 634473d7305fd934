#include "frontend/plan/value_funcs.h"

#include "frontend/plan/order.h"
#include "frontend/plan/pieces.h"

#include <algorithm>

namespace halogen {

std::vector<ValueFunc> value_funcs(const Kernel& kernel, const Solution& solution,
                                   const std::set<std::string>& in_place) {
    std::vector<ValueFunc> funcs;
    for (const lowering::Version& version : lowering::order_equations(kernel, solution, in_place).versions) {
        ValueFunc f{version.name, version.stored, version.tensor, lowering::loop_names(kernel, version), {}};
        if (!lowering::defines_whole(kernel, solution, version.equations.front())) f.equations.push_back(-1);
        f.equations.insert(f.equations.end(), version.equations.begin(), version.equations.end());
        funcs.push_back(std::move(f));
    }
    return funcs;
}

std::vector<ValueFunc> value_funcs(const Kernel& kernel, const Solution& solution, const Emission& emission) {
    std::vector<ValueFunc> funcs;
    for (const ValueFunc& f : value_funcs(kernel, solution, emission.in_place)) {
        funcs.push_back(f);
        if (f.stored == f.name) continue;
        for (const Piece& piece :
             pieces_of(emission.slices, f.stored, 0, dim_ranges(f.dims, solution.extents.at(f.tensor)))) {
            if (piece.suffix.empty()) continue;
            funcs.push_back(f);
            funcs.back().name += piece.suffix;
        }
    }
    return funcs;
}

std::string padded_name(const Kernel& kernel, const std::string& tensor) {
    return lowering::free_name(kernel, tensor + "_pad");
}

std::vector<ExtentArgument> extent_arguments(const Kernel& kernel, const Solution& solution) {
    std::vector<ExtentArgument> extents;
    for (const std::string& symbol : solution.symbols) {
        const auto source = solution.sources.find(symbol);
        if (source == solution.sources.end() || source->second.tensor.empty() ||
            kernel.tensor(source->second.tensor).role == Role::input)
            continue;
        std::string name = symbol;
        std::replace(name.begin(), name.end(), '.', '_');
        const auto taken = [&](const std::string& wanted) {
            return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                               [&](const Parameter& p) { return p.name == wanted; }) ||
                   std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                               [&](const Tensor& t) { return t.name == wanted; });
        };
        while (taken(name)) name += '_';
        extents.push_back({name, symbol, source->second});
    }
    return extents;
}

std::vector<std::string> argument_names(const Kernel& kernel, const Solution& solution) {
    std::vector<std::string> names;
    for (const Parameter& parameter : kernel.parameters) names.push_back(parameter.name);
    for (const ExtentArgument& extent : extent_arguments(kernel, solution)) names.push_back(extent.name);
    return names;
}

}  // namespace halogen
