// Points in space and colours: reductions and recurrences of rows of 2 to 4 elements, whose number is written.

#include "tests/schedule/rewritten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

/// No points, one, and some beside the ends of vectors and of several.
std::vector<Settings> numbers_of_points() {
    std::vector<Settings> sizes;
    for (const int n : {0, 1, 2, 15, 16, 17, 33, 130}) sizes.push_back({{"N", n}});
    return sizes;
}

TEST(ShortRows, SumsOfColumnsRunAcrossTheRows) {
    expect_variants_as_interpreted(
        "kernel k(P: f32[N, 3], w: f32[N]) -> (S: f32, M: f32) { S[i] += w[n]*P[n, i]; M[i] max= P[n, i] }",
        numbers_of_points());
}

TEST(ShortRows, CovariancesAreMadeInOnePass) {
    for (const char* text : {"kernel k(P: f32[N, 3]) -> C: f32 { C[i, j] += P[n, i]*P[n, j] }",
                             "kernel k(P: f64[N, 4], Q: f64[N, 3], w: f64[N]) -> C: f64 { "
                             "C[i, j] += w[n]*P[n, i]*Q[n, j] }",
                             "kernel k(P: f32[2, N]) -> C: f32 { C[i, j] += P[i, n]*P[j, n] }",
                             "kernel k(P: f32[N, 0], Q: f32[N, 3]) -> C: f32 { C[i, j] += P[n, i]*Q[n, j] }"})
        expect_variants_as_interpreted(text, numbers_of_points());
}

TEST(ShortRows, CovariancesOfSeveralCloudsAreApart) {
    std::vector<Settings> sizes;
    for (const int n : {1, 17, 40}) sizes.push_back({{"B", 3}, {"N", n}});
    expect_variants_as_interpreted("kernel k(P: f32[B, N, 3]) -> C: f32 { C[b, i, j] += P[b, n, i]*P[b, n, j] }",
                                   sizes);
}

TEST(ShortRows, SumsOfComplexNumbersRunAlongThePlacesOfOnePart) {
    std::vector<Settings> sizes;
    for (const int n : {3, 4, 19, 70, 150}) sizes.push_back({{"N", n}, {"K", 3}});
    expect_variants_as_interpreted(
        "kernel k(X: f32[N, 2], h: f32[K, 2]) -> Y: f32[N - K + 1, 2] { "
        "Y[n, 0] += X[n + k, 0]*h[k, 0] - X[n + k, 1]*h[k, 1]; "
        "Y[n, 1] += X[n + k, 0]*h[k, 1] + X[n + k, 1]*h[k, 0] }",
        sizes);
}

TEST(ShortRows, PartialResultsAreNoWiderThanRowsOfAKnownLength) {
    using ::testing::HasSubstr;
    using ::testing::Not;
    const auto steps = [](const char* length, const char* op) {
        return steps_of(std::string("kernel k(X: f32[N, ") + length + "]) -> S: f32[N] { S[n] " + op + " X[n, k] }");
    };
    EXPECT_THAT(steps("6", "+="), HasSubstr("partial k -> S_value_part1 by 4, 1 "));
    EXPECT_THAT(steps("17", "+="), HasSubstr("partial k -> S_value_part1 by 8, 2 "));
    EXPECT_THAT(steps("100", "+="), HasSubstr("partial k -> S_value_part1 by 8, 2 "));
    const std::string of_two = steps_of(
        "kernel k(P: f32[N, 2], A: i32[N, 8]) -> D: f32[N, 8] { "
        "D[n, k] += (P[A[n, k], c] - P[n, c])*(P[A[n, k], c] - P[n, c]) }");
    EXPECT_THAT(of_two, HasSubstr("D_value.1 unroll k, c")) << "an element after the other";
    EXPECT_THAT(of_two, Not(HasSubstr("partial")));
    for (const char* text : {"kernel k(X: f32[N, 6]) -> S: f32[N] { S[n] += X[n, k]*X[n, k] }",
                             "kernel k(X: i8[N, 5]) -> S: i8[N] { S[n] max= X[n, k] }",
                             "kernel k(X: f64[N, 18]) -> S: f64[N] { S[n] min= X[n, k] }",
                             "kernel k(X: f32[N, 7]) -> Y: f32 { M[n] max= X[n, k]; E[n, k] = exp(X[n, k] - M[n]); "
                             "S[n] += E[n, k]; Y[n, k] = E[n, k]/S[n] }"})
        expect_variants_as_interpreted(text, numbers_of_points());
}

TEST(ShortRows, RowsOfAnyLengthEndUnderAMaskOnLegsThatHaveThem) {
    using ::testing::AllOf;
    using ::testing::ContainsRegex;
    using ::testing::HasSubstr;
    using ::testing::Not;
    const auto steps = [](const std::string& text, const char* leg) {
        const Kernel kernel = kernel_of(text);
        const Solution open = open_solution(kernel);
        const Variant variant = whole_variants(kernel, open).back();
        return print(schedule_of(kernel, form_of(kernel, open, variant), variant, *find_leg(leg)));
    };
    const std::string sums = "kernel k(X: f32[N, D]) -> S: f32[N] { S[n] += X[n, d] }",
                      largest = "kernel k(X: f32[N, D]) -> M: f32[N] { M[n] max= X[n, d] }";
    const auto under_mask = ContainsRegex("partial [^\n]* tail predicate");
    EXPECT_THAT(
        steps(sums, "zen4"),
        AllOf(HasSubstr("when D >= 4"), HasSubstr("partial d -> S_value_vectors_part1 by 16, 2 tail predicate at ")));
    EXPECT_THAT(steps(largest, "zen4"),
                AllOf(HasSubstr("when D >= 8"),
                      HasSubstr("partial d, n -> M_value_vectors_part1 by 16, 1, 4 tail predicate at ")));
    EXPECT_THAT(steps(sums, "avx2"), AllOf(HasSubstr("when D >= 8"), Not(under_mask)));
    for (const char* others : {
             "kernel k(X: f32[N, 10]) -> S: f32[N] { S[n] += X[n, d] }",                    // of a known length
             "kernel k(X: u8[N, D]) -> S: u8[N] { S[n] max= X[n, d] }",                     // no masks of bytes
             "kernel k(X: f32[N, D]) -> S: f32[N] { S[n] += X[n, 2*d] where d in 0:D/2 }",  // not side by side
         })
        EXPECT_THAT(steps(others, "zen4"), Not(under_mask)) << others;
    std::vector<Settings> sizes;
    for (const int d : {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 48, 64, 65})
        for (const int n : {1, 5}) sizes.push_back({{"N", n}, {"D", d}});
    for (const std::string& text :
         {sums, largest,
          std::string("kernel k(X: f32[N, D], m: f32[N]) -> S: f32[N] { S[n] += (X[n, d] - m[n])*(X[n, d] - m[n]) }"),
          std::string("kernel k(X: f64[N, D], w: f64[D]) -> S: f64[N] { S[n] *= X[n, d] + w[d] }"),
          std::string("kernel k(X: i32[N, D], w: i32[D]) -> S: i32[N] { S[n] min= X[n, d]/(abs(w[d]) + 1) }"),
          std::string("kernel k(X: f32[N, D], w: f32[D]) -> S: i32[N] { S[n] += select(X[n, d] > w[d], d, 1) }"),
          std::string("kernel k(X: f32[N, D]) -> A: i32[N] { M[n] max= X[n, d]; "
                      "A[n] min= select(X[n, d] == M[n], d, D) }"),
          std::string("kernel k(X: f32[N, D]) -> Y: f32 { M[n] max= X[n, d]; E[n, d] = exp(X[n, d] - M[n]); "
                      "S[n] += E[n, d]; Y[n, d] = E[n, d]/S[n] }")})
        expect_variants_as_interpreted(text, sizes);
    sizes.clear();
    for (const int d : {0, 1, 4, 15, 16, 20}) sizes.push_back({{"N", 3}, {"M", 6}, {"D", d}});
    expect_variants_as_interpreted("kernel k(X: f32[N, M], I: i32[D]) -> S: f32[N] { S[n] += X[n, I[d]] }", sizes);
}

TEST(ShortRows, FewOfThemAreNoBranchWhereTheyAreAsLongAsTheyAreMany) {
    std::vector<Settings> sizes;
    for (const int n : {2, 3, 4, 5, 16, 33}) sizes.push_back({{"R", n}});
    const std::string all =
        "kernel k(A: f32[R], Z: f32[R]) -> (Q: f32[R], O: f32[R]) { "
        "Q[j] = A[j] where j < 2; O[t] += max(Z[t], Q[s]) }";
    EXPECT_THAT(steps_of(all), ::testing::Not(::testing::HasSubstr("few")));
    expect_variants_as_interpreted(all, sizes);
}

TEST(ShortRows, RowsOfPartOfAVectorAreOneVectorAndMatricesOfThemAreWrittenOut) {
    using ::testing::HasSubstr;
    const std::string product =
        "kernel k(A: f32[N, 4, 4], B: f32[N, 4, 4]) -> C: f32[N, 4, 4] { "
        "C[n, i, j] += A[n, i, l]*B[n, l, j] }";
    EXPECT_THAT(steps_of(product, true), HasSubstr("  C.0 vectorize j by 4 -> j_o, j_i tail shift_inwards\n"
                                                   "  C.0 split i -> i_o, i_i by 4 tail shift_inwards\n"
                                                   "  C.0 unroll i_i\n"));
    for (const std::string& text :
         {product,
          std::string("kernel k(A: f32[N, 2, 2], x: f32[N, 2]) -> Y: f32[N, 2, 2] { "
                      "Y[n, i, j] = A[n, i, j]*x[n, j] + A[n, j, i] }"),
          std::string("kernel k(A: u8[N, 3, 8], b: u8[8]) -> Y: u8[N, 3, 8] { Y[n, i, j] = max(A[n, i, j], b[j]) }"),
          std::string("kernel k(A: f64[N, 4]) -> (S: f64[N], Y: f64[N, 4]) { S[n] += A[n, i]; "
                      "Y[n, i] = A[n, i]/S[n] }")})
        expect_variants_as_interpreted(text, numbers_of_points());
}

TEST(ShortRows, RecurrencesOfFewChannelsRunOneAfterTheOther) {
    std::vector<Settings> sizes;
    for (const int n : {1, 2, 17, 40}) sizes.push_back({{"N", n}});
    for (const char* text : {"kernel k(X: f32[N, 3], a: f32) -> Y: f32 { Y[0, c] = X[0, c]; "
                             "Y[t, c] = a*X[t, c] + (1 - a)*Y[t - 1, c] where t in 1:N }",
                             "kernel k(X: f32[N, 3], w: f32[3], a: f32) -> Y: f32 { E[0, c] = X[0, c]; "
                             "E[t, c] = a*X[t, c] + (1 - a)*E[t - 1, c] where t in 1:N; Y[t] += E[t, c]*w[c] }",
                             "kernel k(X: f32[N, 3]) -> Y: f32 { Y[t, c] = X[t, c]; "
                             "Y[t, c] += Y[t - 1, 2 - c]/2 where t in 1:N, c in 1:3 }"})
        expect_variants_as_interpreted(text, sizes);
}

TEST(ShortRows, CoordinatesThatTurnAreWrittenOutInVectorsOfPoints) {
    const std::string cross =
        "kernel k(P: f32[N, 3], Q: f32[N, 3]) -> Y: f32[N, 3] { "
        "Y[n, c] = P[n, (c + 1)%3]*Q[n, (c + 2)%3] - P[n, (c + 2)%3]*Q[n, (c + 1)%3] }";
    const std::string steps = steps_of(cross, true);
    EXPECT_NE(steps.find("variant dense"), std::string::npos) << steps;
    EXPECT_NE(steps.find("vectorize n by 8 -> n_o, n_i tail shift_inwards"), std::string::npos) << steps;
    expect_variants_as_interpreted(cross, numbers_of_points());
}

TEST(ShortRows, SumsOfOneCoordinateRunAlongThePoints) {
    const std::string sums =
        "kernel k(P: f32[G, N, 2], w: f32[N]) -> (S: f32, T: f32) { "
        "S[g] += w[n]*P[g, n, 0]\nT[g] max= P[g, n, 1] }";
    const std::string steps = steps_of(sums, true);
    EXPECT_NE(steps.find("variant dense"), std::string::npos) << steps;
    EXPECT_NE(steps.find("S_value.1 partial n, g -> S_value_part1 by 8"), std::string::npos) << steps;
    std::vector<Settings> sizes;
    for (const int n : {0, 1, 7, 8, 9, 40})
        for (const int g : {1, 5}) sizes.push_back({{"G", g}, {"N", n}});
    expect_variants_as_interpreted(sums, sizes);
}

TEST(ShortRows, OfAProductStandBesideATensorOfOneColumn) {
    // The panels of the product are one, whatever P is; the extent of Y's dim is one as well, and is not told as they are.
    expect_variants_as_interpreted(
        "kernel k(U: i32[L, 3], E: i32[P], V: i32[3, 3]) -> (O: i32[L, 3], Y: i32[L, 1]) { "
        "O[v, k] += U[v, n]*E[c]*max(V[n, k], 1); Y[s, 0] += 3 }",
        {{{"L", 5}, {"P", 2}}, {{"L", 40}, {"P", 0}}});
}

}  // namespace
}  // namespace halogen
