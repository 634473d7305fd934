// Padding that is known to be none, and the small windows that variants know of.

#include "frontend/plan/unpadded.h"

#include "tests/schedule/rewritten.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

const std::string pool =
    "kernel k(X: f32[C, H pad P, W pad P] else lowest, R: size, T: size, P: size) -> Y: f32[C, OH, OW] { "
    "Y[c, y, x] max= X[c, T*y + r - P, T*x + s - P] where r in 0:R, s in 0:R }";

std::string declared(const std::string& text, const Settings& known) {
    const Kernel kernel = kernel_of(text);
    Settings settings;
    for (const SizeParam& size : kernel.sizes) settings[size.name] = std::nullopt;
    for (const auto& [name, value] : known) settings[name] = value;
    const auto result = unpadded(kernel, solve(kernel, settings).value());
    return result ? print(*result) : "nothing";
}

TEST(Unpadded, TensorsWhosePaddingIsNone) {
    EXPECT_THAT(declared(pool, {{"P", 0}}), testing::HasSubstr("(X: f32[C, H, W], "));
    EXPECT_THAT(
        declared("kernel k(X: f32[H pad (1, 0), W pad 0] else edge) -> Y: f32[H, W] { Y[y, x] = X[y - 1, x] }", {}),
        testing::HasSubstr("(X: f32[H pad (1, 0), W] else edge)"));
    EXPECT_EQ(declared(pool, {}), "nothing") << "P may be anything";
    EXPECT_EQ(declared(pool, {{"P", 1}}), "nothing");
}

TEST(SmallWindows, EveryVariantGivesTheValuesOfTheInterpreter) {
    std::vector<Settings> pools, filters;
    for (const int width : {3, 5, 16, 17, 33, 70}) {
        for (const auto& [r, t, p] :
             {std::tuple(3, 1, 1), {3, 1, 0}, {3, 2, 1}, {2, 2, 0}, {2, 2, 1}, {2, 1, 0}, {3, 3, 1}})
            pools.push_back({{"C", 3}, {"H", 9}, {"W", width}, {"R", r}, {"T", t}, {"P", p}});
        for (const auto& [r, t, d] : {std::tuple(3, 1, 1), {3, 2, 1}, {2, 2, 1}, {3, 1, 2}, {5, 2, 1}, {1, 3, 1}})
            filters.push_back(
                {{"C", 3}, {"H", 9}, {"W", width}, {"R", r}, {"S", r}, {"T", t}, {"D", d}, {"P", d * (r - 1) / 2}});
    }
    expect_variants_as_interpreted(pool, pools);
    expect_variants_as_interpreted(
        "kernel k(X: f32[C, H pad P, W pad P] else 0, F: f32[C, R, S], T: size, D: size, P: size) -> Y: f32[C, OH, OW] "
        "{ "
        "Y[c, y, x] += X[c, T*y + D*r - P, T*x + D*s - P] * F[c, r, s] }",
        filters);
}

TEST(SmallWindows, HaveVariantsOfTheirOwn) {
    const Kernel kernel = kernel_of(pool);
    const Solution open = open_solution(kernel);
    std::string names;
    for (const Variant& variant : whole_variants(kernel, open)) {
        names += called(variant) + " ";
        const bool none = form_of(kernel, open, variant).kernel.tensor("X").boundary.mode == Boundary::Mode::none;
        EXPECT_EQ(none, called(variant) == "R2_T2_P0") << called(variant);
    }
    EXPECT_EQ(names, "R3_T1 R3_T2 R2_T2_P0 T1 T2 any ");
}

}  // namespace
}  // namespace halogen
