#pragma once
// Runs a text of the notation through the interpreter, on small tensors written as lists.

#include "frontend/interpret/interpret.h"
#include "frontend/solve/solve.h"

#include <string>
#include <vector>

namespace halogen {

/// A dense tensor of the given elements, row-major; the values are rounded to the type.
inline HostTensor tensor(Type type, const std::vector<std::int64_t>& extents, const std::vector<double>& elements) {
    HostTensor t(type, extents);
    for (std::size_t i = 0; i < elements.size(); i++) {
        if (is_float(type))
            t.set_real(static_cast<std::int64_t>(i), elements[i]);
        else
            t.set_integer(static_cast<std::int64_t>(i), static_cast<std::int64_t>(elements[i]));
    }
    return t;
}
inline HostTensor f32(const std::vector<double>& elements) {
    return tensor(Type::f32, {static_cast<std::int64_t>(elements.size())}, elements);
}

inline std::vector<double> elements(const HostTensor& t) {
    std::vector<double> values;
    for_each_index(t.extents(), [&](std::span<const std::int64_t> index) {
        const std::int64_t offset = t.offset_of(index);
        values.push_back(is_float(t.type()) ? t.real(offset) : static_cast<double>(t.integer(offset)));
    });
    return values;
}

inline Result<Tensors> run_all(const std::string& text, const Tensors& inputs, Settings settings = {},
                               const Scalars& scalars = {}) {
    return guarded([&] {
        const Kernel kernel = parse(text).value().kernels.at(0);
        for (const auto& [name, value] : inputs)
            for (int d = 0; d < value.rank(); d++)
                settings[name + "." + std::to_string(d)] = value.extents()[static_cast<std::size_t>(d)];
        const Solution solution = solve(kernel, settings).value();
        return interpret(kernel, solution, inputs, scalars).value();
    });
}

/// The elements of `output`, row-major; throws Failure for any error.
inline std::vector<double> run(const std::string& text, const Tensors& inputs, const std::string& output,
                               const Settings& settings = {}, const Scalars& scalars = {}) {
    return elements(run_all(text, inputs, settings, scalars).value().at(output));
}

/// The whole error text, as `halogen -e` prints it.
inline std::string error_of(const std::string& text, const Tensors& inputs, const Settings& settings = {}) {
    const auto result = run_all(text, inputs, settings);
    return result ? "no error" : to_string(result.error().kind) + " " + format(result.error(), "-e");
}

}  // namespace halogen
