// What runs in order is computed where it is stored.

#include "schedules/recipes/recipe.h"
#include "tests/schedule/rewritten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string steps_of(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    return print(recipe(kernel, open_solution(kernel), machine_of(all_legs().front())));
}

/// Extents around vectors, strips of rows and tasks.
std::vector<Settings> sizes_of(const std::vector<std::string>& names, const std::vector<std::int64_t>& extents) {
    std::vector<Settings> sizes{{}};
    for (const std::string& name : names) {
        std::vector<Settings> longer;
        for (const Settings& size : sizes)
            for (const std::int64_t extent : extents) {
                longer.push_back(size);
                longer.back()[name] = extent;
            }
        sizes = std::move(longer);
    }
    return sizes;
}

void expect_in_place(const std::string& text, const std::string& func, const std::vector<Settings>& sizes) {
    SCOPED_TRACE(text);
    EXPECT_THAT(steps_of(text), HasSubstr(func + ".0 in_place\n"));
    expect_variants_as_interpreted(text, sizes);
}

TEST(InPlace, RowsFollowOneAnother) {
    const auto sizes = sizes_of({"M", "N"}, {1, 2, 9, 33});
    for (const char* text : {"kernel k(X: f32[M, N]) -> Y: f32[M, N] "
                             "{ Y[0, j] = X[0, j]; Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:M }",
                             "kernel k(X: f64[M, N], a: f64) -> Y: f64[M, N] "
                             "{ Y[0, j] = X[0, j]; Y[i, j] = a*X[i, j] + (1 - a)*Y[i - 1, j] where i in 1:M }",
                             "kernel k(X: f32[M, N]) -> Y: f32[M pad (2, 0), N] else 0 "
                             "{ Y[i, j] = X[i, j] - 0.5*Y[i - 1, j] - 0.25*Y[i - 2, j] }",
                             "kernel k(X: u8[M, N]) -> Y: u8[M, N] "
                             "{ Y[0, j] = X[0, j]; Y[i, j] = max(Y[i - 1, j], X[i, j]) where i in 1:M }"})
        expect_in_place(text, "Y", sizes);
}

TEST(InPlace, RowsOfWideMatricesFollowInStrips) {
    expect_in_place(
        "kernel k(X: f32[M, N]) -> Y: f32[M, N] "
        "{ Y[0, j] = X[0, j]; Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:M }",
        "Y", sizes_of({"M", "N"}, {3, 255, 256, 257, 1025}));
}

TEST(InPlace, EachMatrixOfABatchIsOneTask) {
    expect_in_place(
        "kernel k(X: f32[B, M, N]) -> Y: f32[B, M, N] "
        "{ Y[b, 0, j] = X[b, 0, j]; Y[b, i, j] = Y[b, i - 1, j] + X[b, i, j] where i in 1:M }",
        "Y", sizes_of({"B", "M", "N"}, {1, 5, 17}));
}

TEST(InPlace, ElementsOfARowFollowOneAnother) {
    // Rows of whole pages of memory, and others.
    auto sizes = sizes_of({"M", "N"}, {1, 2, 9, 33});
    for (const int rows : {3, 4, 7, 8, 13}) sizes.push_back({{"M", rows}, {"N", 1024}});
    expect_in_place(
        "kernel k(X: f32[M, N]) -> Y: f32[M, N] "
        "{ Y[i, 0] = X[i, 0]; Y[i, j] = Y[i, j - 1] + X[i, j] where j in 1:N }",
        "Y", sizes);
    expect_in_place("kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i - 1] + X[i] where i in 1:N }", "Y",
                    sizes_of({"N"}, {1, 2, 33}));
}

TEST(InPlace, BothDimsRunInOrder) {
    const auto sizes = sizes_of({"M", "N"}, {1, 2, 9, 33});
    expect_in_place(
        "kernel k(X: i32[M], Z: i32[N]) -> Y: i32[M + 1, N + 1] { Y[i, 0] = i; Y[0, j] = j; "
        "Y[i, j] = min(Y[i - 1, j], Y[i, j - 1]) + abs(X[i - 1] - Z[j - 1]) where i in 1:M + 1, j in 1:N + 1 }",
        "Y", sizes);
    expect_in_place(
        "kernel k(X: f32[M, N]) -> Y: f32[M, N] "
        "{ Y[i, j] = X[i, j]; Y[i, j] += Y[i - 1, j - 1] where i in 1:M, j in 1:N }",
        "Y", sizes);
}

TEST(InPlace, DataTellsThePlaces) {
    expect_in_place("kernel k(X: f32[N], I: i32[N], M: size) -> Y: f32[M] { Y[I[n]] += X[n] }", "Y",
                    sizes_of({"M", "N"}, {1, 2, 33}));
    for (const char* text : {"kernel k(X: f32[N, D], I: i32[N], M: size) -> Y: f32[M, D] { Y[I[n], d] += X[n, d] }",
                             "kernel k(X: f64[N, D], B: f64[M, D], I: i32[N]) -> Y: f64[M, D] "
                             "{ Y[m, d] = B[m, d]; Y[I[n], d] max= X[n, d] }",
                             "kernel k(X: f32[M, D], I: i32[N], J: i32[N], w: f32[N]) -> Y: f32[M, D] "
                             "{ Y[I[n], d] += w[n]*X[J[n], d] }"})
        expect_in_place(text, "Y", sizes_of({"M", "N", "D"}, {1, 4, 9, 33}));
    expect_in_place("kernel k(X: f32[N, D], I: i32[N], M: size) -> Y: f32[M, D] { Y[I[n], d] += X[n, d] }", "Y",
                    {{{"M", 3}, {"N", 7}, {"D", 515}}, {{"M", 2}, {"N", 5}, {"D", 1100}}});
    expect_in_place(
        "kernel k(X: f32[N], t: f32) -> Y: f32[N] { P[0] = i32(X[0] > t); "
        "P[i] = P[i - 1] + i32(X[i] > t) where i in 1:N; Y[P[i] - 1] = X[i] where X[i] > t }",
        "Y", sizes_of({"N"}, {1, 2, 33}));
}

TEST(InPlace, OthersReadIt) {
    const auto sizes = sizes_of({"M", "N"}, {1, 2, 9, 33});
    const char* const table =
        "kernel k(X: u8[M, N]) -> S: i32[M + 1, N + 1] { "
        "R[y, 0] = 0 where y in 0:M; R[y, x] = R[y, x - 1] + i32(X[y, x - 1]) where x in 1:N + 1; "
        "S[0, x] = 0; S[y, x] = S[y - 1, x] + R[y - 1, x] where y in 1:M + 1 }";
    expect_in_place(table, "R", sizes);
    expect_in_place(table, "S", sizes);
    expect_in_place(
        "kernel k(X: f32[M, N]) -> (Y: f32[M, N], Z: f32[M, N]) { Y[0, j] = X[0, j]; "
        "Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:M; Z[i, j] = 2*Y[i, N - 1 - j] }",
        "Y", sizes);
    expect_in_place(
        "kernel k(X: f32[N]) -> (Y: f32[N], Z: f32[N]) { Y[0] = X[0]; "
        "Y[i] = Y[i - 1] + X[i] where i in 1:N; Z[i] = Y[i]; Y[i] += Y[i - 1] where i in 1:N }",
        "Y", sizes_of({"N"}, {1, 2, 33}));
}

TEST(InPlace, SumsOverAPartOfATensorAreVectorsAlongIt) {
    const char* const lags =
        "kernel k(X: f32[N], K: size) -> R: f32[K] { R[k] = 1; R[k] += X[i]*X[i + k] where k in 0:6, i in 0:N - 5 }";
    EXPECT_THAT(steps_of(lags), HasSubstr("R.1 vectorize k"));
    expect_in_place(lags, "R", {{{"N", 5}, {"K", 6}}, {{"N", 6}, {"K", 6}}, {{"N", 40}, {"K", 33}}});
    const char* const sums =
        "kernel k(X: f32[B, N], P: size) -> S: f32[B, N] { S[b, i] += X[b, i - r] where r in 0:P, i in P - 1:N }";
    EXPECT_THAT(steps_of(sums), HasSubstr("S_value.1 vectorize i"));
    std::vector<Settings> sizes = sizes_of({"B", "P", "N"}, {3, 9});
    sizes.push_back({{"B", 2}, {"P", 5}, {"N", 70}});
    std::erase_if(sizes, [](const Settings& size) { return *size.at("N") < *size.at("P"); });
    expect_variants_as_interpreted(sums, sizes);
}

TEST(InPlace, RowsOfAChainOfRecurrencesAreComputedSomeAtATime) {
    const char* const chain =
        "kernel k(a: f32[B, N], d: f32[B, N]) -> x: f32[B, N] { p[s, 0] = a[s, 0]/4; q[s, 0] = d[s, 0]/4; "
        "p[s, i] = a[s, i]/(4 - a[s, i]*p[s, i - 1]) where i in 1:N; "
        "q[s, i] = (d[s, i] - a[s, i]*q[s, i - 1])/(4 - a[s, i]*p[s, i - 1]) where i in 1:N; "
        "x[s, N - 1] = q[s, N - 1]; "
        "x[s, N - 1 - i] = q[s, N - 1 - i] - p[s, N - 1 - i]*x[s, N - i] where i in 1:N }";
    EXPECT_THAT(steps_of(chain), HasSubstr("p_value.0 compute_at x.s_block\n"));
    std::vector<Settings> sizes = sizes_of({"B", "N"}, {1, 4, 7, 8, 9, 17});
    sizes.push_back({{"B", 9}, {"N", 1024}});
    expect_variants_as_interpreted(chain, sizes);
}

TEST(InPlace, NotWhatIsRoundedWhenItIsStored) {
    EXPECT_THAT(steps_of("kernel k(X: f16[M, N]) -> Y: f16[M, N] "
                         "{ Y[0, j] = X[0, j]; Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:M }"),
                Not(HasSubstr("in_place")));
}

TEST(InPlace, NotWhatRunsThroughTheCacheTwice) {
    EXPECT_THAT(steps_of("kernel k(X: f32[M, N]) -> Y: f32[M, N] "
                         "{ Y[i, j] = exp(X[i, j]); Y[i, j] += Y[i - 1, j] where i in 1:M }"),
                Not(HasSubstr("in_place")));
}

/// Two remainders of 3 may be all that there are: the result has as many columns, and the compiled code asks for no more.
TEST(InPlace, RemaindersReachNoFurtherThanTheyDo) {
    for (const std::string place : {"(i + D)%3", "min((i + D)%3, 1)", "2*((i + D)%3)"})
        expect_variants_as_interpreted(
            "kernel k(A: i32[M, M], D: size) -> Y: i32[M, _] { Y[i, " + place + "] += A[i, i] }",
            {{{"M", 1}, {"D", 0}}, {{"M", 2}, {"D", 0}}, {{"M", 2}, {"D", 2}}, {{"M", 9}, {"D", 1}}});
}

}  // namespace
}  // namespace halogen
