// Assignments to parts of a tensor as one equation, which vectors and threads compute in one go.

#include "frontend/plan/joined.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace halogen {
namespace {

std::string joined_text(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    const auto result = joined(kernel, open_solution(kernel));
    return result ? print(*result) : "nothing";
}

TEST(Joined, EveryOtherElementIsAChoiceToo) {
    EXPECT_EQ(
        equations_after(joined, "kernel k(A: f32[N], B: f32[N]) -> Y: f32[2*N] { Y[2*i] = A[i]; Y[2*k + 1] = B[k] }"),
        "Y[i] = select(i%2 == 1, B[i/2], select(i%2 == 0, A[i/2], 0))\n");
    for (
        const char* text :
        {"kernel k(A: f32[N], B: f32[N]) -> Y: f32[2*N] { Y[2*i] = A[i]; Y[2*i + 2] = B[i] where i in 0:N-1 }",  // no rest
         "kernel k(A: f32[N], B: f32[N]) -> Y: f32[2*N + 1] { Y[2*i] = A[i]; Y[2*i + 1] = B[i] }",  // some more
         "kernel k(A: f32[N], B: f32[N]) -> Y: f32[2*N] { Y[2*i] = A[i] where i in 1:N; Y[2*i + 1] = B[i] }",
         "kernel k(A: f32[N], B: f32[N]) -> Y: f32[2*N] { Y[2*i] = A[i] + i; Y[2*i + 1] = B[i] }",  // a value: no whole number
         "kernel k(E: u8[_, _]) -> T: u8 { T[0, 2*i] *= E[i, i] }",
         "kernel k(A: u8[N], B: u8[N]) -> Y: u8[3*N] { Y[3*i] = A[i]; Y[3*i + 1] = B[i]; Y[3*i + 2] = A[i] }"})
        EXPECT_EQ(equations_after(joined, text), "nothing") << text;
    std::vector<Settings> sizes;
    for (const int n : {0, 1, 3, 16})
        for (const int m : {1, 8, 31}) sizes.push_back({{"N", n}, {"M", m}});
    expect_as_interpreted_on_all_legs(
        "kernel k(A: f32[N, M], D: f32[N, M]) -> Y: f32[2*N, 2*M] { Y[2*i, 2*j] = (A[i, j] + D[i, j])/2; "
        "Y[2*i, 2*k + 1] = (A[i, k] - D[i, k])/2; Y[2*i + 1, 2*j] = A[i, j]; Y[2*i + 1, 2*j + 1] = D[i, j] + 1 }",
        sizes);
    expect_as_interpreted_on_all_legs(
        "kernel k(A: u8[N, M], B: u8[N, M]) -> Y: u8[N, 4*M] { Y[i, 4*j] = A[i, j]; Y[i, 4*j + 3] = B[i, j] }", sizes);
}

TEST(Joined, PartsReadAsFarAsTheirOwnIndicesGoWhateverTheOtherTensorsExtentIs) {
    const std::string rotation =
        "kernel k(X: f32[T, D], C: f32[T, K], S: f32[T, K]) -> Y: f32[T, 2*K] { "
        "Y[t, 2*k] = X[t, 2*k]*C[t, k] - X[t, 2*k + 1]*S[t, k]; "
        "Y[t, 2*k + 1] = X[t, 2*k]*S[t, k] + X[t, 2*k + 1]*C[t, k] }";
    EXPECT_EQ(equations_after(joined, rotation),
              "Y[t, k] = select(k%2 == 1, X[t, 2*(k/2)] * S[t, k/2] + X[t, 2*(k/2) + 1] * C[t, k/2], "
              "select(k%2 == 0, X[t, 2*(k/2)] * C[t, k/2] - X[t, 2*(k/2) + 1] * S[t, k/2], 0))\n");
    EXPECT_EQ(equations_after(joined,
                              "kernel k(X: f32[N, D], Z: f32[N, M]) -> Y: f32[N, M] { "
                              "Y[i, j] = Z[i, j]; Y[i, j] = X[i, j] where j in 0:D }"),
              "nothing")
        << "beyond D there is nothing of X";
    EXPECT_TRUE(is_rewritten(kernel_of(rotation), open_solution(kernel_of(rotation)))) << "2*K is empty where K is";
    std::vector<Settings> sizes;
    for (const int k : {0, 1, 8, 19})
        for (const int more : {0, 3}) sizes.push_back({{"T", 3}, {"K", k}, {"D", 2 * k + more}});
    expect_as_interpreted_on_all_legs(rotation, sizes);
}

TEST(Joined, WhatIsAddedToNothingIsAChoice) {
    EXPECT_EQ(equations_after(joined, "kernel k(A: f32[N, M]) -> Y: f32[N, M] { Y[i, j] += A[i, j] where j <= i }"),
              "Y[i, j] = select(j <= i, A[i, j], 0)\n");
    EXPECT_EQ(equations_after(
                  joined, "kernel k(A: f32[N, M]) -> Y: f32[N, M] { Y[i, j] += A[i, j]; Y[i, j] = 1 where j <= i }"),
              "nothing");
    EXPECT_EQ(equations_after(joined, "kernel k(A: f32[N, M]) -> Y: f32[N] { Y[i] += A[i, j] where j <= i }"),
              "nothing");
}

TEST(Joined, APartIsSelectedAndWhatItReadsBeyondIsPadding) {
    EXPECT_EQ(
        joined_text("kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]; Y[i] = X[i - 1] + X[i + 1] where i in 1:N - 1 }"),
        "kernel k(X: f32[N pad 1] else 0) -> Y: f32[N] {\n"
        "  Y[i] = select(i >= 1 and i < N - 1, X[i - 1] + X[i + 1], X[i])\n}\n");
    EXPECT_EQ(
        joined_text("kernel k(X: f32[N, M], b: f32[M]) -> Y: f32 { Y[i, j] = X[i, j]; Y[0, j] = b[j]; Y[a, 1] = 2 }"),
        "kernel k(X: f32[N, M], b: f32[M]) -> Y: f32 {\n"
        "  Y[i, j] = select(j == 1, 2, select(i == 0, b[j], X[i, j]))\n}\n");
    EXPECT_EQ(joined_text("kernel k(X: f32[N, N]) -> Y: f32[N, N] { Y[i, j] = 0; Y[i, j] = X[j, i] where j < i }"),
              "kernel k(X: f32[N, N]) -> Y: f32[N, N] {\n  Y[i, j] = select(j < i, X[j, i], 0)\n}\n");
}

TEST(Joined, WhatIsAddedIsPartOfTheValue) {
    EXPECT_EQ(joined_text("kernel k(X: f32[N], b: f32[N]) -> Y: f32[N] { Y[i] = X[i]; Y[j] += b[j]; Y[k] *= 2 }"),
              "kernel k(X: f32[N], b: f32[N]) -> Y: f32[N] {\n  Y[i] = (X[i] + b[i])*2\n}\n");
    EXPECT_EQ(joined_text("kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]; Y[i] += 1 where i in 1:N }"),
              "kernel k(X: f32[N]) -> Y: f32[N] {\n  Y[i] = select(i >= 1, X[i] + 1, X[i])\n}\n");
}

TEST(Joined, ElementsOfNoPartAreZero) {
    EXPECT_EQ(joined_text("kernel k(X: f32[N, N], Z: f32[N, N]) -> Y: f32[N, N] { Y[i, j] = X[i, j] where j <= i; "
                          "Y[i, j] += Z[i, j] where j <= i }"),
              "kernel k(X: f32[N, N], Z: f32[N, N]) -> Y: f32[N, N] {\n"
              "  Y[i, j] = select(j <= i, X[i, j] + Z[i, j], 0)\n}\n");
}

TEST(Joined, PlacesOfAShortDimOneByOneAreAnIndex) {
    EXPECT_EQ(joined_text("kernel k(X: f32[N]) -> Y: f32[N, 3] { Y[n, 0] = X[n]; Y[m, 2] = exp(X[m]) }"),
              "kernel k(X: f32[N]) -> Y: f32[N, 3] {\n"
              "  Y[n, c] = select(c == 2, exp(X[n]), select(c == 0, X[n], 0)) where c in 0:3\n}\n");
    EXPECT_EQ(joined_text("kernel k(X: f32[N]) -> Y: f32[N, 9] { Y[n, 0] = X[n]; Y[n, 8] = 2*X[n] }"), "nothing");
}

TEST(Joined, WhatAPartReadsOfARowThatStaysIsNotAskedForElsewhere) {
    EXPECT_EQ(
        joined_text("kernel k(A: f32[N, N], k: size) -> B: f32[N, N] { B[i, j] = A[i, j]; B[i, j] = A[k, j] where "
                    "i in k + 1:N }"),
        "kernel k(A: f32[N, N], k: size) -> B: f32[N, N] {\n"
        "  B[i, j] = select(i >= k + 1, A[k, j], A[i, j])\n}\n");
}

TEST(Joined, WhatIsNoPartStays) {
    for (
        const char* text :
        {"kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]; Y[i] = Y[i] + 1 where i in 1:N }",  // reads itself
         "kernel k(X: f16[N]) -> Y: f16[N] { Y[i] = X[i]; Y[i] += 1 where i in 1:N }",        // rounds twice
         "kernel k(X: f32[N, M]) -> Y: f32[N] { Y[i] = 1; Y[i] += X[i, j] }",                 // a sum
         "kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]*X[i] + X[i]/3 + 1; Y[i] += 1 where i in 1:N }",  // long text
         "kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = exp(X[i]) where i in 0:1; Y[i] = 2 where i in 1:N }",  // work for one
         "kernel k(X: f32[N], I: i32[M]) -> Y: f32[N] { Y[i] = X[i]; Y[I[m]] = 1 }",                       // by data
         "kernel k(X: f32[N], R: size) -> Y: f32[N] { Y[i] = X[i]; Y[i] = X[i - R] where i in R:N }",  // R is not known
         "kernel k(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j]; Y[0, j] = exp(X[0, j]) }",             // work for a few
         "kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]; T[i] = 2*Y[i]; Y[i] = T[i] where i in 1:N }"})
        EXPECT_EQ(joined_text(text), "nothing") << text;
}

TEST(Joined, ASizeThatOnlyAPartTellsIsNotLost) {
    const Kernel kernel =
        kernel_of("kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]; Y[i] = X[i + 1] where i in 0:N - 1 }");
    const std::vector<Variant> variants = whole_variants(kernel, open_solution(kernel));
    ASSERT_EQ(variants.size(), 1u);
    EXPECT_TRUE(variants.back().rewritten);
}

/// Halves that read alike are written out beside vectors of pixels, many or few, and beside single ones.
TEST(Joined, HalvesOfAButterflyAreWrittenOutTogether) {
    std::vector<Settings> sizes, of_rows;
    for (const int j : {1, 2, 3, 4, 5, 15, 16, 17, 33}) {
        of_rows.push_back({{"J", j}});
        for (const int g : {1, 3}) sizes.push_back({{"G", g}, {"J", j}});
    }
    for (const char* type : {"f32", "f64", "i16"})
        expect_variants_as_interpreted(
            fmt::format("kernel k(X: {0}[G, 2, J, 2], W: {0}[J, 2]) -> Y: {0}[G, 2, J, 2] {{\n"
                        "  T[g, j, 0] = X[g, 1, j, 0]*W[j, 0] - X[g, 1, j, 1]*W[j, 1]\n"
                        "  T[g, j, 1] = X[g, 1, j, 0]*W[j, 1] + X[g, 1, j, 1]*W[j, 0]\n"
                        "  Y[g, 0, j, c] = X[g, 0, j, c] + T[g, j, c]\n"
                        "  Y[g, 1, j, c] = X[g, 0, j, c] - T[g, j, c]\n"
                        "}}",
                        type),
            sizes);
    expect_variants_as_interpreted(
        "kernel k(X: f32[2, J, 3], t: f32) -> Y: f32[2, J, 3] { Y[q, j, c] = X[0, j, c] + (X[1, j, c] - X[0, j, "
        "c])*t*f32(q) }",
        of_rows);
}

TEST(Joined, ComputesWhatThePartsDo) {
    std::vector<Settings> sizes;
    for (const int n : {3, 16, 17, 33})
        for (const int m : {2, 3, 40}) sizes.push_back({{"N", n}, {"M", m}});
    for (const char* type : {"f32", "f64", "i32", "u8"})
        expect_as_interpreted_on_all_legs(
            fmt::format("kernel k(X: {0}[N, M]) -> Y: {0}[N, M] {{\n"
                        "  Y[i, j] = X[i, j]\n"
                        "  Y[i, j] = X[i - 1, j] + 2*X[i, j + 1] + X[i + 2, j - 1] where i in 1:N - 2, j in 1:M - 1\n"
                        "  Y[0, j] = 3\n"
                        "}}",
                        type),
            sizes);
    for (const char* type : {"f32", "i16"})
        expect_as_interpreted_on_all_legs(fmt::format("kernel k(X: {0}[N, M], Z: {0}[N, M]) -> Y: {0}[N, M] {{\n"
                                                      "  Y[i, j] = X[i, j] where j <= i\n"
                                                      "  Y[i, j] += Z[i, j] where j <= i\n"
                                                      "}}",
                                                      type),
                                          sizes);
    for (const char* type : {"f32", "f64", "i16", "u8"})
        expect_as_interpreted_on_all_legs(fmt::format("kernel k(X: {0}[N, M]) -> Y: {0}[N, M, 3] {{\n"
                                                      "  Y[i, j, 0] = X[i, j]\n"
                                                      "  Y[i, j, 2] = 2*X[i, j]\n"
                                                      "  Y[i, j, 1] = X[i, j] + 1\n"
                                                      "}}",
                                                      type),
                                          sizes);
}

}  // namespace
}  // namespace halogen
