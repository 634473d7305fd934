// The functions of the notation, compiled for every leg of this machine, against the C library's in double.

#include "tests/schedule/run_compiled.h"

#include "schedules/machine/machine.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace halogen {
namespace {

struct Range {
    const char* function;
    double (*exact)(double);
    double low, high;
    double ulps;  // that a result may be off
};

/// Random numbers of a range, and its ends.
HostTensor numbers_in(const Range& range, std::int64_t count, std::mt19937_64& random) {
    HostTensor x(Type::f32, {count});
    std::uniform_real_distribution<double> between(range.low, range.high);
    auto* data = reinterpret_cast<float*>(x.data());
    for (std::int64_t i = 0; i < count; i++) data[i] = static_cast<float>(between(random));
    data[0] = static_cast<float>(range.low);
    data[1] = static_cast<float>(range.high);
    return x;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Functions, AreExactToAFewUnitsInTheLastPlaceOnEveryLeg) {
    std::mt19937_64 random(test::seed_of_run());
    constexpr std::int64_t count = 40001;
    const Range ranges[] = {
        {"exp", std::exp, -87.3, 88.72, 1.5},  {"exp", std::exp, -1, 1, 1.5},
        {"log", std::log, 1e-38, 3.4e38, 1.5}, {"log", std::log, 0.5, 2, 1.5},
        {"log", std::log, 0.99, 1.01, 1.5},    {"log", std::log, 1e-45, 1e-38, 1.5},
        {"tanh", std::tanh, -10, 10, 2.5},     {"tanh", std::tanh, -0.7, 0.7, 2.5},
        {"sigmoid", sigmoid, -80, 80, 3},      {"erf", std::erf, -5, 5, 8},
    };
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        for (const Range& range : ranges) {
            const Kernel kernel =
                parse(fmt::format("kernel k(X: f32[N]) -> Y: f32 {{ Y[i] = {}(X[i]) }}", range.function))
                    .value()
                    .kernels[0];
            const Executor executor(kernel, leg, {});
            const CallData data = call_of(kernel, {{"N", count}}, {{"X", numbers_in(range, count, random)}});
            Tensors outputs = executor.make_outputs(data);
            executor.prepare(data, outputs)();
            const auto* x = reinterpret_cast<const float*>(data.inputs.at("X").data());
            const auto* y = reinterpret_cast<const float*>(outputs.at("Y").data());
            double worst = 0, at = 0;
            for (std::int64_t i = 0; i < count; i++) {
                const double exact = range.exact(x[i]);
                const auto rounded = static_cast<float>(std::fabs(exact));
                const double unit = std::nextafter(rounded, INFINITY) - static_cast<double>(rounded);
                const double off = std::fabs(y[i] - exact) / unit;
                if (off > worst) worst = off, at = x[i];
            }
            EXPECT_LE(worst, range.ulps) << range.function << " at " << at << " on " << leg.name;
        }
        if (&leg == &best_leg_here()) break;
    }
}

}  // namespace
}  // namespace halogen
