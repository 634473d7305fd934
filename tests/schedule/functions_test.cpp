// The functions of the notation, compiled for every leg of this machine, against the C library's in double.

#include "tests/schedule/run_compiled.h"

#include "schedules/machine/machine.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
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
        {"exp", std::exp, -87.3, 88.72, 1.5}, {"exp", std::exp, -1, 1, 1.5},      {"log", std::log, 1e-38, 3.4e38, 1.5},
        {"log", std::log, 0.5, 2, 1.5},       {"log", std::log, 0.99, 1.01, 1.5}, {"log", std::log, 1e-45, 1e-38, 1.5},
        {"tanh", std::tanh, -10, 10, 2},      {"tanh", std::tanh, -0.7, 0.7, 2},  {"sigmoid", sigmoid, -80, 80, 3},
        {"erf", std::erf, -5, 5, 6.5},        {"sin", std::sin, -3.2, 3.2, 2},    {"cos", std::cos, -3.2, 3.2, 2},
        {"sin", std::sin, -1e5, 1e5, 2},      {"cos", std::cos, 0, 1e9, 2},
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

/// Numbers of all sizes, those closest to a multiple of a quarter turn among them, and what is no angle.
TEST(Functions, AnglesMayHaveAnySizeOnEveryLeg) {
    std::mt19937_64 random(test::seed_of_run());
    constexpr std::int64_t count = 200000;
    std::vector<float> angles{0.0f,         -0.0f,          1e-45f,
                              1e-40f,       3.4028235e38f,  -3.4028235e38f,
                              0x1p64f,      0x1.fffffep63f, 16367173.0f * 0x1p72f,
                              1.5707964f,   3.1415927f,     6.2831855f,
                              7.8539815e8f, INFINITY,       -INFINITY,
                              NAN};
    while (static_cast<std::int64_t>(angles.size()) < count) {
        const auto bits = static_cast<std::uint32_t>(random());
        float angle = 0;
        std::memcpy(&angle, &bits, sizeof angle);
        angles.push_back(angle);
    }
    HostTensor x(Type::f32, {count});
    std::memcpy(x.data(), angles.data(), angles.size() * sizeof(float));
    const Kernel kernel =
        test::kernel_of("kernel k(X: f32[N]) -> (S: f32[N], C: f32[N]) { S[i] = sin(X[i]); C[i] = cos(X[i]) }");
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        const Executor executor(kernel, leg, {});
        const CallData data = call_of(kernel, {{"N", count}}, {{"X", x}});
        Tensors outputs = executor.make_outputs(data);
        executor.prepare(data, outputs)();
        const auto compare = [&](const char* output, double (*exact_of)(double)) {
            const auto* got = reinterpret_cast<const float*>(outputs.at(output).data());
            for (std::size_t i = 0; i < angles.size(); i++) {
                const double exact = exact_of(angles[i]);
                if (std::isnan(exact) || std::isnan(got[i])) {
                    EXPECT_EQ(std::isnan(exact), std::isnan(got[i])) << output << " of " << angles[i];
                    continue;
                }
                const float near = std::fabs(static_cast<float>(exact));
                const double unit = std::nextafter(near, INFINITY) - static_cast<double>(near);
                EXPECT_LE(std::fabs(got[i] - exact), 2 * unit) << output << " of " << angles[i] << " on " << leg.name;
            }
        };
        compare("S", std::sin);
        compare("C", std::cos);
        if (&leg == &best_leg_here()) break;
    }
}

/// C's pow in double, rounded once: all pairs of special values, then random ones.
TEST(Functions, PowersAreRightForAllValuesOnEveryLeg) {
    std::mt19937_64 random(test::seed_of_run());
    const float inf = INFINITY;
    const std::vector<float> special{inf,   -inf,  NAN,    0.0f,     -0.0f,     1,          -1,        2,
                                     -2,    3,     -3,     0.5f,     -0.5f,     1e-45f,     1e-40f,    -1e-40f,
                                     3e38f, 1e10f, -1e10f, 16777216, -16777215, 1.0000001f, 0.9999999f};
    constexpr std::int64_t count = 20000;
    HostTensor x(Type::f32, {count}), y(Type::f32, {count});
    auto* const base = reinterpret_cast<float*>(x.data());
    auto* const exponent = reinterpret_cast<float*>(y.data());
    std::lognormal_distribution<float> wide(0, 20), near(0, 1);
    std::normal_distribution<float> small(0, 3), large(0, 40);
    for (std::size_t i = 0; i < count; i++) {
        const bool given = i < special.size() * special.size();
        base[i] = given ? special[i / special.size()] : i % 2 ? wide(random) : near(random);
        exponent[i] = given ? special[i % special.size()] : i % 2 ? small(random) : large(random);
    }
    const Kernel kernel = test::kernel_of(
        "kernel k(X: f32[N], P: f32[N]) -> (Y: f32[N], S: f32[N], C: f32[N], R: f32[N], T: f32[N]) {"
        "  Y[i] = pow(X[i], P[i]); S[i] = pow(X[i], 2.0); C[i] = pow(X[i], 3.0); R[i] = pow(X[i], 0.5);"
        "  T[i] = pow(X[i], -1.5) }");
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        const Executor executor(kernel, leg, {});
        const CallData data = call_of(kernel, {{"N", count}}, {{"X", x}, {"P", y}});
        Tensors outputs = executor.make_outputs(data);
        executor.prepare(data, outputs)();
        const auto compare = [&](const char* output, const auto& exponent_at, double ulps) {
            const auto* got = reinterpret_cast<const float*>(outputs.at(output).data());
            for (std::size_t i = 0; i < count; i++) {
                const double exact = std::pow(static_cast<double>(base[i]), static_cast<double>(exponent_at(i)));
                const auto rounded = static_cast<float>(exact);
                if (!std::isfinite(rounded) || rounded == 0 || std::isnan(got[i])) {
                    EXPECT_TRUE(got[i] == rounded || (std::isnan(got[i]) && std::isnan(rounded)))
                        << output << ": " << base[i] << "^" << exponent_at(i) << " is " << got[i] << " on " << leg.name;
                    continue;
                }
                const double unit = std::nextafter(std::fabs(rounded), inf) - std::fabs(rounded);
                EXPECT_LE(std::fabs(got[i] - exact), ulps * unit)
                    << output << ": " << base[i] << "^" << exponent_at(i) << " on " << leg.name;
            }
        };
        compare("Y", [&](std::size_t i) { return exponent[i]; }, 1);
        compare("S", [](std::size_t) { return 2.0f; }, 1);
        compare("C", [](std::size_t) { return 3.0f; }, 2);
        compare("R", [](std::size_t) { return 0.5f; }, 1);
        compare("T", [](std::size_t) { return -1.5f; }, 1);
        if (&leg == &best_leg_here()) break;
    }
}

}  // namespace
}  // namespace halogen
