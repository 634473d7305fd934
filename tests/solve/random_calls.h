#pragma once
// Random calls of a solved kernel: numbers for what its solution leaves open, now and then ones that do not fit.

#include "frontend/base/error.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace halogen::test {

/// The extents of a call's inputs, its parameters, and the sizes that its outputs give.
struct Call {
    std::map<std::string, std::vector<std::int64_t>> extents;
    Bindings values;   // of the solution's symbols and of the other names in its guards
    Settings numbers;  // the same for `solve`
    std::string text;
};

/// The value of a formula, or `otherwise` where it has none.
inline std::int64_t evaluate_or(const Formula& f, const Bindings& values, std::int64_t otherwise) {
    try {
        return evaluate(f, values);
    } catch (const Failure&) {
        return otherwise;
    }
}

inline Call random_call(const Kernel& kernel, const Solution& s, Dice& dice) {
    Call call;
    Bindings symbols;
    for (const auto& name : s.symbols)
        symbols[name] = kernel.find_size(name) ? dice.between(0, 4) : dice.between(dice.chance(15) ? 0 : 1, 12);
    for (const Tensor* t : kernel.inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            std::int64_t extent = std::max<std::int64_t>(0, evaluate_or(s.extents.at(t->name)[d], symbols, 3));
            if (dice.chance(8)) extent = std::max<std::int64_t>(0, extent + dice.between(-2, 2));
            call.extents[t->name].push_back(extent);
            call.numbers[fmt::format("{}.{}", t->name, d)] = extent;
        }
    }
    for (const auto& [name, source] : s.sources) {
        const auto tensor = call.extents.find(source.tensor);
        const std::int64_t value = tensor == call.extents.end() ? symbols[name] : tensor->second[source.dim];
        call.values[name] = value;
        if (tensor == call.extents.end() && symbols.contains(name)) call.numbers[name] = value;
    }
    for (const auto& name : s.symbols) {  // what no buffer gives, the caller says
        if (call.values.emplace(name, symbols[name]).second) call.numbers[name] = symbols[name];
    }
    for (const auto& [name, value] : call.numbers) call.text += fmt::format(" {}={}", name, *value);
    return call;
}

}  // namespace halogen::test
