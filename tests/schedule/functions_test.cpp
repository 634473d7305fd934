// The functions of the notation, compiled for every leg of this machine, against the C library's in double.

#include "tests/schedule/run_compiled.h"

#include "schedules/machine/machine.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>

namespace halogen {
namespace {

template<typename Exact>
struct Range {
    const char* function;
    Exact (*exact)(Exact);
    Exact low, high;
    double ulps;  // that a result may be off
};

/// Random numbers of a range, and its ends.
template<typename Real, typename Exact>
HostTensor numbers_in(const Range<Exact>& range, std::int64_t count, std::mt19937_64& random) {
    HostTensor x(std::is_same_v<Real, double> ? Type::f64 : Type::f32, {count});
    std::uniform_real_distribution<Exact> between(range.low, range.high);
    auto* data = reinterpret_cast<Real*>(x.data());
    for (std::int64_t i = 0; i < count; i++) data[i] = static_cast<Real>(between(random));
    data[0] = static_cast<Real>(range.low);
    data[1] = static_cast<Real>(range.high);
    return x;
}

template<typename Exact>
Exact sigmoid(Exact x) {
    return 1 / (1 + std::exp(-x));
}

/// Results of `Real` beside those of a wider type, rounded once; a kernel computes all functions of the ranges.
template<typename Real, typename Exact>
void expect_exact(const std::vector<Range<Exact>>& ranges) {
    std::mt19937_64 random(test::seed_of_run());
    constexpr std::int64_t count = 40001;
    const char* type = std::is_same_v<Real, double> ? "f64" : "f32";
    std::set<std::string> functions;
    for (const Range<Exact>& range : ranges) functions.insert(range.function);
    std::string outputs, equations;
    for (const std::string& function : functions) {
        outputs += fmt::format("{}Y_{}: {}", outputs.empty() ? "" : ", ", function, type);
        equations += fmt::format("Y_{0}[i] = {0}(X[i]); ", function);
    }
    const Kernel kernel = test::kernel_of(fmt::format("kernel k(X: {}[N]) -> ({}) {{ {} }}", type, outputs, equations));
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        const Executor executor(kernel, leg, {});
        for (const Range<Exact>& range : ranges) {
            const HostTensor numbers = numbers_in<Real>(range, count, random);
            const CallData data = call_of(kernel, {{"N", count}}, {{"X", numbers}});
            Tensors results = executor.make_outputs(data);
            executor.prepare(data, results)();
            const auto* x = reinterpret_cast<const Real*>(data.inputs.at("X").data());
            const auto* y = reinterpret_cast<const Real*>(results.at("Y_" + std::string(range.function)).data());
            Exact worst = 0, at = 0;
            for (std::int64_t i = 0; i < count; i++) {
                const Exact exact = range.exact(x[i]);
                const auto rounded = static_cast<Real>(std::fabs(exact));
                const Exact unit = std::nextafter(rounded, std::numeric_limits<Real>::infinity()) - Exact(rounded);
                const Exact off = std::fabs(y[i] - exact) / unit;
                if (!(off <= worst)) worst = off, at = x[i];
            }
            EXPECT_LE(worst, range.ulps) << range.function << " at " << at << " on " << leg.name;
        }
        if (&leg == &best_leg_here()) break;
    }
}

TEST(Functions, AreExactToAFewUnitsInTheLastPlaceOnEveryLeg) {
    expect_exact<float, double>({
        {"exp", std::exp, -87.3, 88.72, 1.5},
        {"exp", std::exp, -1, 1, 1.5},
        {"log", std::log, 1e-38, 3.4e38, 1.5},
        {"log", std::log, 0.5, 2, 1.5},
        {"log", std::log, 0.99, 1.01, 1.5},
        {"log", std::log, 1e-45, 1e-38, 1.5},
        {"tanh", std::tanh, -10, 10, 2},
        {"tanh", std::tanh, -0.7, 0.7, 2},
        {"sigmoid", sigmoid, -80, 80, 3},
        {"erf", std::erf, -5, 5, 6.5},
        {"sin", std::sin, -3.2, 3.2, 2},
        {"cos", std::cos, -3.2, 3.2, 2},
        {"sin", std::sin, -1e5, 1e5, 2},
        {"cos", std::cos, 0, 1e9, 2},
    });
}

TEST(Functions, OfDoublesAreAsExact) {
    expect_exact<double, long double>({
        {"exp", std::exp, -708.3L, 709.78L, 1.5},
        {"exp", std::exp, -1, 1, 1.5},
        {"log", std::log, 1e-300L, 1.7e308L, 1.5},
        {"log", std::log, 0.5L, 2, 1.5},
        {"log", std::log, 0.99L, 1.01L, 1.5},
        {"log", std::log, 5e-324L, 1e-308L, 1.5},
        {"tanh", std::tanh, -25, 25, 2.5},
        {"tanh", std::tanh, -0.7L, 0.7L, 2.5},
        {"sigmoid", sigmoid, -700, 700, 3},
    });
}

TEST(Functions, OfSpecialDoublesAreWhatTheyTendTo) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    const std::vector<double> special{inf, -inf, nan, 0.0, -0.0, -1, 710, -745, 1e-300, 1e300, -1e300, 5e-324};
    HostTensor x(Type::f64, {static_cast<std::int64_t>(special.size())});
    std::memcpy(x.data(), special.data(), special.size() * sizeof(double));
    const Kernel kernel = test::kernel_of(
        "kernel k(X: f64[N]) -> (E: f64[N], L: f64[N], T: f64[N], S: f64[N], "
        "R: f64[N]) { E[i] = exp(X[i]); L[i] = log(X[i]); T[i] = tanh(X[i]); S[i] = pow(X[i], 2); R[i] = pow(X[i], "
        "0.5) "
        "}");
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg)) continue;
        const Executor executor(kernel, leg, {});
        const CallData data = call_of(kernel, {{"N", x.extents()[0]}}, {{"X", x}});
        Tensors outputs = executor.make_outputs(data);
        executor.prepare(data, outputs)();
        const auto compare = [&](const char* output, double (*exact_of)(double)) {
            const auto* got = reinterpret_cast<const double*>(outputs.at(output).data());
            for (std::size_t i = 0; i < special.size(); i++) {
                double exact = exact_of(special[i]);
                if (special[i] == -745) exact = output[0] == 'E' ? 0 : exact;  // e^-745 is below 2^-1022
                const bool close = std::fabs(got[i] - exact) <= 1e-15 * std::fabs(exact) || got[i] == exact;
                EXPECT_TRUE(std::isnan(exact) ? std::isnan(got[i]) : close)
                    << output << " of " << special[i] << " is " << got[i] << " on " << leg.name;
            }
        };
        compare("E", std::exp);
        compare("L", std::log);
        compare("T", std::tanh);
        compare("S", [](double base) { return std::pow(base, 2); });
        compare("R", [](double base) { return std::pow(base, 0.5); });
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
        "kernel k(X: f32[N], P: f32[N]) -> (Y: f32[N], S: f32[N], C: f32[N], R: f32[N], T: f32[N], U: f32[N], V: "
        "f32[N], "
        "W: f32[N]) {"
        "  Y[i] = pow(X[i], P[i]); S[i] = pow(X[i], 2.0); C[i] = pow(X[i], 3.0); R[i] = pow(X[i], 0.5);"
        "  T[i] = pow(X[i], -1.5); U[i] = pow(X[i], -1.0); V[i] = pow(X[i], 2.5); W[i] = pow(X[i], -4.0) }");
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
        // Each operation rounds by up to 2^-24 of what it gives, which is one unit at most; a factor counts as often as it stands there.
        compare("T", [](std::size_t) { return -1.5f; }, 3.5);
        compare("U", [](std::size_t) { return -1.0f; }, 1);
        compare("V", [](std::size_t) { return 2.5f; }, 3);
        compare("W", [](std::size_t) { return -4.0f; }, 7);
        if (&leg == &best_leg_here()) break;
    }
}

}  // namespace
}  // namespace halogen
