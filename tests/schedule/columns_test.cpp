// Steps of many elements, such as steps in time: strips of them run through all steps, and what reads them is computed beside.

#include "tests/schedule/rewritten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Around the edges of vectors and of strips on every leg, and of steps.
std::vector<Settings> elements_and_steps() {
    std::vector<Settings> sizes;
    for (const int n : {1, 3, 8, 15, 16, 17, 31, 63, 64, 65, 130})
        for (const int p : {1, 2, 5}) sizes.push_back({{"N", n}, {"P", p}});
    return sizes;
}
std::vector<Settings> pictures_and_steps() {
    std::vector<Settings> sizes;
    for (const int w : {1, 7, 16, 65})
        for (const int h : {1, 3}) sizes.push_back({{"H", h}, {"W", w}, {"T", 4}});
    return sizes;
}

constexpr const char* horner =
    "kernel k(X: f32[N], c: f32[P]) -> Y: f32[N] { a[0, n] = c[0]; a[p, n] = a[p - 1, n]*X[n] + c[p] where p in 1:P; "
    "Y[n] = a[P - 1, n] }";
/// Two numbers of each pixel, which each step makes from both.
constexpr const char* iterated =
    "kernel k(A: f32[H, W], B: f32[H, W], T: size) -> Y: f32[H, W] { z[0, c, y, x] = f32(0) where c in 0:2; "
    "z[t, c, y, x] = select(c == 0, z[t - 1, 0, y, x]*z[t - 1, 1, y, x] + A[y, x], z[t - 1, 0, y, x] - B[y, x]) "
    "where t in 1:T, c in 0:2; Y[y, x] += select(z[t, 0, y, x] < 1, z[t, 1, y, x], 0) }";

TEST(Columns, ResultsAreComputedBesideStripsOfTheirSteps) {
    EXPECT_THAT(steps_of(horner), AllOf(HasSubstr("a.0 compute_at Y.n_s"), HasSubstr("reorder n_v, n_o, p")));
    EXPECT_THAT(steps_of(iterated), AllOf(HasSubstr("z.0 compute_at Y.x_s"), HasSubstr("z.2 unroll c")));
    expect_variants_as_interpreted(horner, elements_and_steps());
    expect_variants_as_interpreted(iterated, pictures_and_steps());
}

TEST(Columns, OneRecurrenceFollowsAnother) {
    const char* const text =
        "kernel k(X: f32[P, N], g: f32[N]) -> Y: f32[N] { a[0, n] = X[0, n]; "
        "a[p, n] = 0.5*a[p - 1, n] + X[p, n] where p in 1:P; d[p, n] = sin(a[p, n])*g[n]; b[0, n] = d[0, n]; "
        "b[p, n] = max(b[p - 1, n]*d[p, n], a[p, n]) where p in 1:P; Y[n] += b[p, n]*d[p, n] }";
    EXPECT_THAT(steps_of(text), AllOf(HasSubstr("a.0 compute_at Y.n_s"), HasSubstr("d.0 compute_at Y.n_s"),
                                      HasSubstr("b.0 compute_at Y.n_s")));
    expect_variants_as_interpreted(text, elements_and_steps());
}

TEST(Columns, TypesThatAreStoredNarrowAreComputedWide) {
    expect_variants_as_interpreted(
        "kernel k(X: u8[P, N]) -> Y: u8[N] { a[0, n] = X[0, n]; a[p, n] = a[p - 1, n] + X[p, n] where p in 1:P; "
        "Y[n] = a[P - 1, n] }",
        elements_and_steps());
}

TEST(Columns, NoStripsWhereResultsNeedOtherColumns) {
    for (const char* text : {
             // of neighbours
             "kernel k(X: f32[N], c: f32[P]) -> Y: f32[N - 1] { a[0, n] = c[0]; "
             "a[p, n] = a[p - 1, n]*X[n] + c[p] where p in 1:P; Y[n] = a[P - 1, n] + a[P - 1, n + 1] }",
             // steps of neighbours
             "kernel k(X: f32[N], P: size) -> Y: f32[N] { a[0, n] = X[n]; "
             "a[p, n] = a[p - 1, n] + a[p - 1, max(n - 1, 0)] where p in 1:P; Y[n] = a[P - 1, n] }",
             // all steps again for each row
             "kernel k(X: f32[N], c: f32[P], g: f32[M]) -> Y: f32[M, N] { a[0, n] = c[0]; "
             "a[p, n] = a[p - 1, n]*X[n] + c[p] where p in 1:P; Y[m, n] = a[P - 1, n]*g[m] }",
         })
        EXPECT_THAT(steps_of(text), Not(HasSubstr("compute_at Y.n_s"))) << text;
}

/// What a step takes from the one before lies anywhere in it: elements of one step know nothing of each other.
TEST(Columns, StepsOfNeighboursAreVectorsToo) {
    const char* const path =
        "kernel k(A: f32[P, N]) -> D: f32[P, N] { D[0, x] = A[0, x]; D[p, x] = A[p, x] + "
        "max(D[p - 1, x], max(D[p - 1, max(x - 1, 0)], D[p - 1, min(x + 1, N - 1)])) where p in 1:P }";
    EXPECT_THAT(steps_of(path), HasSubstr("D.2 vectorize x by 8"));
    expect_variants_as_interpreted(path, elements_and_steps());
    expect_variants_as_interpreted(
        "kernel k(X: f32[N], P: size) -> Y: f32[N] { a[0, n] = X[n]; "
        "a[p, n] = a[p - 1, n] + a[p - 1, max(n - 1, 0)] where p in 1:P; Y[n] = a[P - 1, n] }",
        elements_and_steps());
    expect_variants_as_interpreted(
        "kernel k(X: f32[P, N]) -> D: f32[P, N] { D[p, x] = X[p, x]; "
        "D[p, x] += D[p - 1, N - 1 - x]*0.5 where p in 1:P, x in 1:N }",
        elements_and_steps());
    expect_variants_as_interpreted(
        "kernel k(X: f32[P, N], A: f32[N, N]) -> H: f32[P, N] { H[p, i] = X[p, i]; "
        "H[p, i] += A[i, j]*H[p - 1, j] where p in 1:P }",
        elements_and_steps());
}

}  // namespace
}  // namespace halogen
