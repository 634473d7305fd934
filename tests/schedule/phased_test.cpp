// Windows that are scattered some elements apart, gathered by phases.

#include "frontend/plan/phased.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string phased_equations(const std::string& text) {
    return equations_after([](const Kernel& kernel, const Solution& open) { return phased(kernel, open, {}); }, text);
}

TEST(Phased, EachPhaseOfTheResultHasFiltersOfItsOwn) {
    EXPECT_EQ(
        phased_equations("kernel k(X: f32[C, W], F: f32[C, K, S]) -> Z: f32 { Z[k, 2*x + s] += X[c, x]*F[c, k, s] }"),
        "Z_filters[k, c, s] = F[c, k/2, 2*s + k%2] where k in 0:K*2, s in 0:(S + (2 - 1))/2\n"
        "Z_phases[k, x] += X[c, x - s] * Z_filters[k, c, s] where x in 0:W + max((S - 1)/2, 0)\n"
        "Z[k, x] = Z_phases[k*2 + x%2, x/2] where x in 0:2*(W - 1) + S, k in 0:K\n");
    EXPECT_EQ(
        phased_equations("kernel k(X: f32[H, C, W], F: f32[K, R, S, C]) -> Z: f32 { "
                         "Z[k, r + 3*y, x*2 + s] += F[k, r, s, c]*X[y, c, x] }"),
        "Z_filters[k, c, r, s] = F[k/2/3, 3*r + k/2%3, 2*s + k%2, c] where k in 0:K*(3*2), r in 0:(R + (3 - 1))/3, "
        "s in 0:(S + (2 - 1))/2\n"
        "Z_phases[k, y, x] += X[y - r, c, x - s] * Z_filters[k, c, r, s] where y in 0:H + max((R - 1)/3, 0), "
        "x in 0:W + max((S - 1)/2, 0)\n"
        "Z[k, y, x] = Z_phases[(k*3 + y%3)*2 + x%2, y/3, x/2] where y in 0:3*(H - 1) + R, x in 0:2*(W - 1) + S, "
        "k in 0:K\n");
}

TEST(Phased, StepsThatAreSizesHaveToBeKnown) {
    const Kernel kernel =
        kernel_of("kernel k(X: f32[C, W], F: f32[C, K, S], T: size) -> Z: f32 { Z[k, T*x + s] += X[c, x]*F[c, k, s] }");
    const Solution open = open_solution(kernel);
    EXPECT_EQ(phased(kernel, open, {}), std::nullopt);
    EXPECT_EQ(phased(kernel, open, {{"T", 1}}), std::nullopt);
    const auto by_two = phased(kernel, open, {{"T", 2}});
    ASSERT_TRUE(by_two);
    EXPECT_EQ(print(by_two->equations.back()),
              "Z[k, x] = Z_phases[k*T + x%T, x/T] where x in 0:T*(W - 1) + S, k in 0:K");
}

TEST(Phased, NothingWhereVectorsLieAlongFiltersOrInputsAreReadAgain) {
    for (const char* text :
         {"kernel k(X: f32[W, C], F: f32[S, C, K]) -> Z: f32 { Z[2*x + s, k] += X[x, c]*F[s, c, k] }",
          "kernel k(X: f32[C, W], F: f32[C, S]) -> Z: f32 { Z[c, 2*x + s] += X[c, x]*F[c, s] }",
          "kernel k(X: f32[C, W], F: f32[C, K, S]) -> Z: f32 { Z[k, x + s] += X[c, x]*F[c, k, s] }",
          "kernel k(X: f32[C, W pad 1] else 0, F: f32[C, K, S]) -> Z: f32 { Z[k, 2*x + s] += X[c, x]*F[c, k, s] }",
          "kernel k(X: f32[C, W], F: f32[C, K, S]) -> (Z: f32, A: f32) { Z[k, 2*x + s] += X[c, x]*F[c, k, s]\nA[k] += "
          "F[c, k, s] }",
          "kernel k(X: f32[C, W], F: f32[C, K, S]) -> Z: f32 { Z[k, 2*x + s] += X[c, x]*F[c, k, s] where x in 1:W }",
          "kernel k(X: f16[C, W], F: f16[C, K, S]) -> Z: f16 { Z[k, 2*x + s] += X[c, x]*F[c, k, s] }"})
        EXPECT_EQ(phased_equations(text), "nothing") << text;
}

TEST(Phased, ComputesWhatTheOneEquationDoes) {
    std::vector<Settings> sizes;
    for (const int r : {0, 1, 2, 3, 5})
        for (const int w : {1, 8, 17})
            sizes.push_back({{"C", 3}, {"H", 4}, {"W", w}, {"K", 5}, {"R", r}, {"S", r == 0 ? 2 : 4 - r % 3}});
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[C, H, W], F: f32[C, K, R, S]) -> Z: f32 { "
        "Z[k, 2*y + r, 2*x + s] += X[c, y, x]*F[c, k, r, s] }",
        sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(X: i32[H, C, W], F: i32[K, R, S, C], b: i32[K]) -> Y: i32 { "
        "Z[k, r + 3*y, x*2 + s] += F[k, r, s, c]*X[y, c, x]\nY[k, y, x] = Z[k, y, x] + b[k] }",
        sizes);
}

TEST(Phased, StepsOfTwoAreAVariant) {
    const Kernel kernel =
        kernel_of("kernel k(X: f32[C, W], F: f32[C, K, S], T: size) -> Z: f32 { Z[k, T*x + s] += X[c, x]*F[c, k, s] }");
    const Variant variant = whole_variants(kernel, open_solution(kernel)).front();
    EXPECT_EQ(variant.name, "T2");
    EXPECT_TRUE(variant.rewritten);
    std::vector<CallData> calls;
    for (const int s : {1, 2, 3})
        for (const int w : {1, 16, 33})
            calls.push_back(call_of(kernel, {{"C", 3}, {"W", w}, {"K", 4}, {"S", s}, {"T", 2}}));
    for (const Leg& leg : all_legs())
        if (runs_here(leg)) expect_each_as_interpreted(kernel, leg, {variant}, calls);
}

}  // namespace
}  // namespace halogen
