#pragma once
// Kernels whose equations are rewritten before they are compiled.

#include "generators/run/served.h"
#include "tests/schedule/run_compiled.h"
#include "tests/schedule/whole_variants.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
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

/// The equations that `rewrite` makes of the kernel, a line each; "nothing" where it makes none.
inline std::string equations_after(std::optional<Kernel> (*rewrite)(const Kernel&, const Solution&),
                                   const std::string& text) {
    const Kernel kernel = kernel_of(text);
    const auto result = rewrite(kernel, open_solution(kernel));
    if (!result) return "nothing";
    std::string equations;
    for (const Equation& equation : result->equations) equations += print(equation) + "\n";
    return equations;
}

/// Calls the kernel and compares what it gives.
inline void expect_as_interpreted(const Kernel& kernel, const Executor& executor, const CallData& data) {
    Tensors outputs = executor.make_outputs(data);
    executor.prepare(data, outputs)();
    verify(kernel, data, outputs);
}

/// Rewritten, compiled under its recipe on every leg this machine has, and run at each of the sizes.
inline void expect_as_interpreted_on_all_legs(const std::string& text, const std::vector<Settings>& sizes) {
    SCOPED_TRACE(text);
    const Kernel kernel = kernel_of(text);
    const Variant variant = whole_variants(kernel, open_solution(kernel)).back();
    EXPECT_TRUE(variant.rewritten);
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        SCOPED_TRACE(leg.name);
        const Executor executor(kernel, leg, {}, variant);
        EXPECT_EQ(executor.note(), "");
        for (const Settings& size : sizes) expect_as_interpreted(kernel, executor, call_of(kernel, size));
    }
}

/// Every variant whose facts hold at some of the sizes, compiled on each leg of this machine and run there.
inline void expect_variants_as_interpreted(const std::string& text, const std::vector<Settings>& sizes) {
    const Kernel kernel = kernel_of(text);
    std::set<std::string> ran;
    const std::vector<Variant> variants = whole_variants(kernel, open_solution(kernel));
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        for (const Variant& variant : variants) {
            SCOPED_TRACE(leg.name + " " + called(variant));
            const Executor executor(kernel, leg, {}, variant);
            EXPECT_EQ(executor.note(), "");
            for (const Settings& size : sizes) {
                const CallData data = call_of(kernel, size);
                if (!why_not(variant, executor.open(), data).empty()) continue;
                expect_as_interpreted(kernel, executor, data);
                ran.insert(called(variant));
            }
        }
    }
    EXPECT_EQ(ran.size(), variants.size()) << "sizes for each";
}

}  // namespace halogen
