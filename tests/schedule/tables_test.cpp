// Sums in few places that the data tells: a table for each of several neighbours.

#include "schedules/recipes/recipe.h"
#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {
namespace {

bool has_tables(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    const History history = recipe(kernel, open_solution(kernel), machine_of(*find_leg("avx2")));
    return std::any_of(history.steps.begin(), history.steps.end(),
                       [](const Step& step) { return step.kind == StepKind::rfactor; });
}

TEST(Tables, SumsInFewPlacesThatTheDataTellsHaveThem) {
    for (const char* text : {"kernel k(X: u8[N]) -> Y: i32[256] { Y[X[n]] += 1 }",
                             "kernel k(X: u8[H, W], V: f32[H, W]) -> Y: f32[256] { Y[X[y, x]] += V[y, x] }",
                             "kernel k(X: u8[H, W]) -> Y: i32[16, 16] { Y[X[y, x]/16, X[y, x] % 16] += 1 }"})
        EXPECT_TRUE(has_tables(text)) << text;
    for (const char* text :
         {"kernel k(X: u16[N]) -> Y: i32[65536] { Y[X[n]] += 1 }",               // many places
          "kernel k(X: u8[N], K: size) -> Y: i32[K] { Y[X[n]] += 1 }",           // perhaps
          "kernel k(X: u8[N], V: f32[N]) -> Y: f32[256] { Y[X[n]] max= V[n] }",  // no sum
          "kernel k(X: u8[N]) -> Y: i32[256] { Y[X[n]] += 1 where X[n] > 3 }",   // the data tells which
          "kernel k(X: i32[N]) -> Y: i32 { Y[] += X[n] }"})                      // one place
        EXPECT_FALSE(has_tables(text)) << text;
}

TEST(Tables, GiveTheValuesOfTheInterpreter) {
    std::vector<Settings> rows, images;
    for (const int n : {0, 1, 1000, 16383, 16384, 16385, 16392, 16399, 16400, 16401}) rows.push_back({{"N", n}});
    for (const int h : {0, 1, 2, 3, 1700})
        for (const int w : {1, 9, 5461, 8192, 16391})
            if (h * w < 40000) images.push_back({{"H", h}, {"W", w}});
    expect_variants_as_interpreted("kernel k(X: u8[N]) -> Y: i32[256] { Y[X[n]] += 1 }", rows);
    expect_variants_as_interpreted("kernel k(X: u8[N], V: f32[N]) -> Y: f32[2, 128] { Y[X[n] % 2, X[n]/2] += V[n] }",
                                   rows);
    expect_variants_as_interpreted("kernel k(X: u8[H, W], V: f32[W]) -> Y: f32[256] { Y[X[y, x]] += V[x] }", images);
}

}  // namespace
}  // namespace halogen
