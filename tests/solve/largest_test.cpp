// Largest extents that no formula gives, against trying all: with numbers they are found, with open sizes the output's
// buffer gives them and the guards hold for the largest one alone.

#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace halogen {
namespace {

struct Form {
    const char* text;
    std::function<std::int64_t(std::int64_t)> at;
};

const Form forms[] = {
    {"i*i", [](auto i) { return i * i; }},
    {"i*(i + 1)/2", [](auto i) { return i * (i + 1) / 2; }},
    {"i%7 + i/3", [](auto i) { return i % 7 + i / 3; }},
    {"min(3*i, 2*i + 10)", [](auto i) { return std::min(3 * i, 2 * i + 10); }},
    {"i*i + i/2", [](auto i) { return i * i + i / 2; }},
};

/// The largest n for which i = 0, …, n - 1 all lie in [0, extent).
std::int64_t tried(const Form& form, std::int64_t extent) {
    std::int64_t n = 0;
    while (form.at(n) >= 0 && form.at(n) < extent) ++n;
    return n;
}

TEST(Largest, IsFoundWithNumbersAndGuardedWithOpenSizes) {
    for (const Form& form : forms) {
        const std::string text = fmt::format("kernel k(X: f32[N]) -> Y: f32 {{ Y[i] = X[{}] }}", form.text);
        const Solution open = test::solved(text);
        for (std::int64_t extent = 1; extent <= 40; ++extent) {
            const std::int64_t largest = tried(form, extent);
            EXPECT_EQ(test::solved(text, {{"N", extent}}).extents.at("Y")[0], Formula(largest)) << text << extent;
            for (std::int64_t given = std::max<std::int64_t>(0, largest - 2); given <= largest + 2; ++given) {
                const bool right = given == largest;
                EXPECT_EQ(test::guards_hold(open, {{"N", extent}, {"Y.0", given}}), right)
                    << text << " N=" << extent << " Y.0=" << given;
                EXPECT_EQ(static_cast<bool>(solve(test::kernel_of(text), {{"N", extent}, {"Y.0", given}})), right)
                    << text << " N=" << extent << " Y.0=" << given;
            }
        }
    }
}

TEST(Largest, GoesOnThroughIntermediates) {
    const Solution s = test::solved("kernel k(X: f32[N]) -> Y: f32 { T[i] = X[i*i]; Y[i] = T[i + 1] }", {{"N", 30}});
    EXPECT_EQ(test::size(s, "T.0"), "6");
    EXPECT_EQ(test::size(s, "Y.0"), "5");
}

TEST(Largest, OfWhatAnyExtentFitsIsStillOpen) {
    const Kernel kernel = test::kernel_of("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i % 4] }");
    for (const Settings& known : {Settings{}, Settings{{"N", 9}}}) {
        const auto result = solve(kernel, known);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, ErrorKind::underdetermined);
    }
}

TEST(Largest, SaysSoWhereAnotherIsGiven) {
    const auto result =
        solve(test::kernel_of("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i*i] }"), {{"N", 10}, {"Y.0", 3}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::contradictory);
    EXPECT_EQ(result.error().what, "4 is not 3: `Y.0` is the largest extent that keeps X[i*i] inside");
}

}  // namespace
}  // namespace halogen
