// Recurrences along rows that know nothing of each other: several rows a step.

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

/// Fewer rows than a step has, as many, and some more; rows of one element too.
std::vector<Settings> rows_and_elements() {
    std::vector<Settings> sizes;
    for (const int b : {0, 1, 7, 8, 9, 17})
        for (const int n : {1, 2, 16, 35}) sizes.push_back({{"B", b}, {"N", n}});
    return sizes;
}

TEST(RowRecurrences, RowsAreSummedSideBySide) {
    for (const char* text : {"kernel k(X: f32[B, N]) -> Y: f32[B, N] { Y[b, 0] = X[b, 0]; "
                             "Y[b, n] = Y[b, n - 1] + X[b, n] where n in 1:N }",
                             "kernel k(X: f64[B, N], a: f64) -> Y: f64[B, N] { Y[b, N - 1] = X[b, N - 1]; "
                             "Y[b, N - 1 - n] = a*Y[b, N - n] + X[b, N - 1 - n] where n in 1:N }",
                             "kernel k(X: f32[B, N], g: f32[B]) -> Y: f32[B, N] { Y[b, n] = X[b, n]; "
                             "Y[b, n] += g[b]*Y[b, n - 1] where n in 1:N, X[b, n] > 0 }",
                             "kernel k(X: i32[B, N]) -> Y: i32[B, N] { Y[b, 0] = X[b, 0]; "
                             "Y[b, n] = max(Y[b, n - 1], X[b, n]) where n in 1:N }"})
        expect_variants_as_interpreted(text, rows_and_elements());
}

TEST(RowRecurrences, RowsOfSeveralMatricesAreToo) {
    std::vector<Settings> sizes = rows_and_elements();
    for (Settings& size : sizes) size["A"] = 3;
    expect_variants_as_interpreted(
        "kernel k(X: f32[A, B, N]) -> Y: f32[A, B, N] { Y[a, b, 0] = X[a, b, 0]; "
        "Y[a, b, n] = Y[a, b, n - 1] + X[a, b, n] where n in 1:N }",
        sizes);
}

}  // namespace
}  // namespace halogen
