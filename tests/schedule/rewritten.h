#pragma once
// Kernels whose equations are rewritten before they are compiled.

#include "generators/run/served.h"
#include "tests/schedule/run_compiled.h"
#include "tests/schedule/whole_variants.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace halogen {

inline Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.front(); }

/// With every size parameter open, as kernels are compiled.
inline Solution open_solution(const Kernel& kernel) {
    Settings open;
    for (const SizeParam& size : kernel.sizes) open[size.name] = std::nullopt;
    return solve(kernel, open).value();
}

/// The equations that `rewrite(kernel, solution)` makes of the kernel, a line each; "nothing" where it makes none.
template<class Rewrite>
std::string equations_after(Rewrite rewrite, const std::string& text) {
    const Kernel kernel = kernel_of(text);
    const auto result = rewrite(kernel, open_solution(kernel));
    if (!result) return "nothing";
    std::string equations;
    for (const Equation& equation : result->equations) equations += print(equation) + "\n";
    return equations;
}

/// The steps of the recipe's history for the last of a kernel's whole variants, or the first, on AVX2.
inline std::string steps_of(const std::string& text, bool first = false) {
    const Kernel kernel = kernel_of(text);
    const Solution open = open_solution(kernel);
    const std::vector<Variant> variants = whole_variants(kernel, open);
    const Variant& variant = first ? variants.front() : variants.back();
    return print(schedule_of(kernel, form_of(kernel, open, variant), variant, *find_leg("avx2")));
}

/// Calls the kernel and compares what it gives.
inline void expect_as_interpreted(const Kernel& kernel, const Executor& executor, const CallData& data) {
    Tensors outputs = executor.make_outputs(data);
    executor.prepare(data, outputs)();
    verify(kernel, data, outputs);
}

/// A variant of the kernel, compiled under its recipe on every leg this machine has, and run at each of the sizes.
inline void expect_variant_as_interpreted_on_all_legs(const std::string& text, const Variant& variant,
                                                      const std::vector<Settings>& sizes, const Tensors& given = {}) {
    SCOPED_TRACE(text);
    const Kernel kernel = kernel_of(text);
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        SCOPED_TRACE(leg.name);
        const Executor executor(kernel, leg, {}, variant);
        EXPECT_EQ(executor.note(), "");
        for (const Settings& size : sizes) expect_as_interpreted(kernel, executor, call_of(kernel, size, given));
    }
}

/// Likewise as it is rewritten.
inline void expect_as_interpreted_on_all_legs(const std::string& text, const std::vector<Settings>& sizes) {
    const Kernel kernel = kernel_of(text);
    const Variant variant = whole_variants(kernel, open_solution(kernel)).back();
    EXPECT_TRUE(variant.rewritten) << text;
    expect_variant_as_interpreted_on_all_legs(text, variant, sizes);
}

/// The variants of a leg, each compiled for it and run at those of the calls that it serves, of which there are some.
inline void expect_each_as_interpreted(const Kernel& kernel, const Leg& leg, const std::vector<Variant>& variants,
                                       const std::vector<CallData>& calls) {
    for (const Variant& variant : variants) {
        SCOPED_TRACE(leg.name + " " + called(variant));
        const Executor executor(kernel, leg, {}, variant);
        EXPECT_EQ(executor.note(), "");
        int served = 0;
        for (const CallData& data : calls) {
            if (!why_not(variant, executor.open(), data, 1).empty()) continue;
            expect_as_interpreted(kernel, executor, data);
            served++;
        }
        EXPECT_GT(served, 0) << "sizes for it";
    }
}

/// The forms of a kernel on each leg of this machine, each at those of the sizes that it serves.
inline void expect_variants_as_interpreted(const std::string& text, const std::vector<Settings>& sizes,
                                           const Tensors& given = {}) {
    const Kernel kernel = kernel_of(text);
    std::vector<CallData> calls;
    for (const Settings& size : sizes) calls.push_back(call_of(kernel, size, given));
    for (const Leg& leg : all_legs())
        if (runs_here(leg))
            expect_each_as_interpreted(kernel, leg, whole_variants(kernel, open_solution(kernel)), calls);
}

}  // namespace halogen
