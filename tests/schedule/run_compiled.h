#pragma once
// Runs a kernel as it is compiled here and compares with the interpreter.

#include "frontend/interpret/interpret.h"
#include "frontend/solve/solve.h"
#include "generators/run/executor.h"
#include "generators/run/random_tensor.h"
#include "generators/run/verify.h"
#include "runtime/cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace halogen {

/// The machine that the test runs on has the leg's instructions.
inline bool runs_here(const Leg& leg) {
    bool known = false;
    const cpu::Leg number = cpu::leg_named(leg.name, known);
    return known && cpu::can_run(number, number == cpu::Leg::zen4);
}

/// A tensor of these elements, row-major.
inline HostTensor values(Type type, const std::vector<std::int64_t>& extents, const std::vector<double>& elements) {
    HostTensor t(type, extents);
    for (std::size_t i = 0; i < elements.size(); i++) t.set_real(static_cast<std::int64_t>(i), elements[i]);
    return t;
}

inline CallData call_of(const Kernel& kernel, const Settings& sizes, const Tensors& given = {}) {
    CallData data{solve(kernel, sizes).value(), given, {}};
    for (const Tensor* tensor : kernel.inputs())
        if (!data.inputs.count(tensor->name))
            data.inputs.emplace(tensor->name, random_tensor(kernel, data.numbers, *tensor, 1));
    for (const ScalarParam& scalar : kernel.scalars)
        data.scalars[scalar.name] = is_float(scalar.type) ? ScalarValue(0.5) : ScalarValue(std::int64_t{3});
    return data;
}

/// The outputs of one call of compiled code, whose guards and data are checked first.
inline Tensors outputs_of(const Executor& executor, const CallData& data) {
    executor.check_guards(data);
    executor.check_data(data);
    Tensors outputs = executor.make_outputs(data);
    executor.prepare(data, outputs)();
    return outputs;
}

/// The outputs of the compiled kernel; `note` says whether it has the plain schedule.
inline Tensors compiled_outputs(const Kernel& kernel, const CallData& data, const Settings& sizes = {},
                                std::string* note = nullptr) {
    const Executor executor(kernel, choose_leg(""), sizes);
    if (note) *note = executor.note();
    return outputs_of(executor, data);
}

/// Outputs of one call of compiled code are those of the interpreter, and the recipe's schedule fits.
inline void expect_as_interpreted(const Executor& executor, const Kernel& kernel, const Settings& sizes) {
    EXPECT_EQ(executor.note(), "");
    const CallData data = call_of(kernel, sizes);
    verify(kernel, data, outputs_of(executor, data));
}

/// Outputs are those of the interpreter, and the recipe's schedule fits.
inline void expect_as_interpreted(const std::string& text, const Settings& sizes, const Tensors& given = {}) {
    SCOPED_TRACE(text);
    const auto result = guarded([&] {
        const Kernel kernel = parse(text).value().kernels.at(0);
        const CallData data = call_of(kernel, sizes, given);
        std::string note;
        const Tensors outputs = compiled_outputs(kernel, data, sizes, &note);
        EXPECT_EQ(note, "");
        verify(kernel, data, outputs);
        return true;
    });
    EXPECT_TRUE(result) << format(result.error(), "-e");
}

}  // namespace halogen
