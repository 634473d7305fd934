// Small windows whose sums are written out, where images have few colours.

#include "frontend/plan/written_out.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string written(const std::string& text) { return equations_after(written_out, text); }

TEST(WrittenOut, WindowsOfImagesWithFewColoursAreTheirTerms) {
    EXPECT_EQ(written("kernel k(X: f32[H, W, 3]) -> Y: f32[H/2, W/2, 3] { "
                      "Y[y, x, c] max= X[2*y + r, 2*x + s, c] where r in 0:2, s in 0:2 }"),
              "Y[y, x, c] = max(max(max(X[2*y + 0, 2*x + 0, c], X[2*y + 0, 2*x + 1, c]), X[2*y + 1, 2*x + 0, c]), "
              "X[2*y + 1, 2*x + 1, c])\n");
    EXPECT_EQ(written("kernel k(X: f32[N, 3], R: f32[3, 3]) -> Y: f32[N, 3] { Y[n, k] += X[n, d]*R[k, d] }"),
              "Y[n, k] = X[n, 0] * R[k, 0] + X[n, 1] * R[k, 1] + X[n, 2] * R[k, 2]\n");
    EXPECT_EQ(written("kernel k(X: f32[N, 3], w: f32[5]) -> Y: f32[N - 4, 3] { Y[n, c] += X[n + r, c]*w[r] }"),
              "Y[n, c] = X[n + 0, c] * w[0] + X[n + 1, c] * w[1] + X[n + 2, c] * w[2] + X[n + 3, c] * w[3] + "
              "X[n + 4, c] * w[4]\n")
        << "weights are the same for all";
    EXPECT_EQ(
        written("kernel k(T: i32[N, 2], W: f32[N, 2], V: f32[M, 3]) -> P: f32 { P[n, c] += W[n, k]*V[T[n, k], c] }"),
        "P[n, c] = W[n, 0] * V[T[n, 0], c] + W[n, 1] * V[T[n, 1], c]\n")
        << "a place is no factor";
    EXPECT_EQ(written("kernel k(X: u8[N, 4]) -> Y: u8[N/2, 4] { S[n, c] += u16(X[2*n + r, c]) where r in 0:2; "
                      "Y[n, c] = u8((S[n, c] + 1)/2) }"),
              "S[n, c] = u16(X[2*n + 0, c]) + u16(X[2*n + 1, c])\n"
              "Y[n, c] = u8((S[n, c] + 1)/2)\n");
}

TEST(WrittenOut, SumsAlongShortRowsAreTheirTerms) {
    EXPECT_EQ(written("kernel k(X: f32[H, W, 3], w: f32[3]) -> Y: f32 { Y[y, x] += X[y, x, c]*w[c] }"),
              "Y[y, x] = X[y, x, 0] * w[0] + X[y, x, 1] * w[1] + X[y, x, 2] * w[2]\n");
    EXPECT_EQ(written("kernel k(X: f32[N, 2], m: f32[2]) -> Y: f32 { "
                      "Y[n] += (X[n, c] - m[c])*(X[n, c] - m[c])*m[c] }"),
              "Y[n] = (X[n, 0] - m[0])*(X[n, 0] - m[0])*m[0] + (X[n, 1] - m[1])*(X[n, 1] - m[1])*m[1]\n");
}

TEST(WrittenOut, TermsAreAddedToWhatTheTensorBeganWith) {
    EXPECT_EQ(written("kernel k(P: f32[N, 2], R: f32[2, 2], t: f32[2]) -> Q: f32 { "
                      "Q[n, i] = t[i]; Q[n, i] += R[i, j]*P[n, j] }"),
              "Q[n, i] = t[i]\n"
              "Q[n, i] += R[i, 0] * P[n, 0] + R[i, 1] * P[n, 1]\n");
    const Kernel kernel = kernel_of(
        "kernel k(P: f32[N, 2], R: f32[2, 2], t: f32[2]) -> Q: f32 { Q[n, i] = t[i]; Q[n, i] += R[i, j]*P[n, j] }");
    const Solution open = open_solution(kernel);
    EXPECT_EQ(print(form_of(kernel, open, whole_variants(kernel, open).back()).kernel.equations.at(0)),
              "Q[n, i] = t[i] + (R[i, 0] * P[n, 0] + R[i, 1] * P[n, 1])")
        << "and are one equation with it";
}

TEST(WrittenOut, ShortSumsThatAreReducedAtOnceAreTheirTerms) {
    EXPECT_EQ(written("kernel k(X: f32[N, 2], Q: f32[K, 2]) -> Y: f32 { "
                      "D[n, k] += (X[n, c] - Q[k, c])*(X[n, c] - Q[k, c]); Y[n] min= D[n, k] }"),
              "D[n, k] = (X[n, 0] - Q[k, 0])*(X[n, 0] - Q[k, 0]) + (X[n, 1] - Q[k, 1])*(X[n, 1] - Q[k, 1])\n"
              "Y[n] min= D[n, k]\n");
    for (const char* rest : {
             "(Y: f32, D: f32) { @ Y[n] min= D[n, k] }",             // D is a result
             "Y: f32 { @ Y[n, k] = D[n, k] }",                       // and not reduced
             "Y: f32 { @ Y[n] += D[n, k]*D[n, k] }",                 // read twice
             "Y: f32 { @ Y[n, m] += D[n, k]*W[k, m] }",              // for each column
             "Y: f32 { @ Y[n] min= D[n, 2*k] where k in 0:(K/2) }",  // in part
         }) {
        std::string text = std::string("kernel k(X: f32[N, 3], Q: f32[K, 3], W: f32[K, M]) -> ") + rest;
        text.replace(text.find('@'), 1, "D[n, k] += (X[n, c] - Q[k, c])*(X[n, c] - Q[k, c]);");
        EXPECT_EQ(written(text), "nothing") << text;
    }
}

TEST(WrittenOut, NothingOfWideImagesLongSumsAndWhatConditionsChoose) {
    const std::string pool = "Y[y, x, c] += X[2*y + r, x, c] where r in 0:";
    for (const std::string& text : {
             "kernel k(X: f32[H, W, C]) -> Y: f32[H/2, W, C] { " + pool + "2 }",   // any number of colours
             "kernel k(X: f32[H, W, 8]) -> Y: f32[H/2, W, 8] { " + pool + "2 }",   // a vector of colours
             "kernel k(X: f32[H, W, 3]) -> Y: f32[H/2, W, 3] { " + pool + "30 }",  // many terms
             "kernel k(X: f16[H, W, 3]) -> Y: f16[H/2, W, 3] { " + pool + "2 }",   // rounded once
             "kernel k(X: f32[H, W, 3], R: size) -> Y: f32[H/2, W, 3] { " + pool + "R }",
             "kernel k(X: f32[H, W, 3]) -> Y: f32[H/2, W, 3] { " + pool + "2, X[y, x, c] > 0 }",
             std::string("kernel k(X: f32[N, 9], R: f32[3, 9]) -> Y: f32[N, 3] { Y[n, k] += X[n, d]*R[k, d] }"),
             std::string(
                 "kernel k(A: f32[M, 3], B: f32[N, 3]) -> Y: f32 { Y[i, j] += A[i, k]*B[j, k] }"),  // rows again
             std::string("kernel k(X: f32[3, N], w: f32[3]) -> Y: f32 { Y[n] += X[c, n]*w[c] }"),  // rows lie far apart
         })
        EXPECT_EQ(written(text), "nothing") << text;
}

TEST(WrittenOut, ImagesOfAFewColoursHaveVariantsOfTheirOwn) {
    const Kernel kernel = kernel_of(
        "kernel k(X: f32[H, W, C]) -> Y: f32[H/2, W/2, C] { "
        "Y[y, x, c] max= X[2*y + r, 2*x + s, c] where r in 0:2, s in 0:2 }");
    const Solution open = open_solution(kernel);
    std::string names;
    for (const Variant& variant : whole_variants(kernel, open)) {
        names += called(variant) + " ";
        const bool few = variant.name.size() == 2 && variant.name[0] == 'C';
        EXPECT_EQ(form_of(kernel, open, variant).kernel.equations[0].op == Op::assign, few) << called(variant);
    }
    EXPECT_EQ(names, "C3 C4 C1 any ");
}

TEST(WrittenOut, ComputesWhatTheSumsDo) {
    for (const char* text : {"kernel k(X: f32[H, W, C]) -> Y: f32[H/2, W/2, C] { Y[y, x, c] max= X[2*y + r, 2*x + s, "
                             "c] where r in 0:2, s in 0:2 }",
                             "kernel k(X: u8[H, W, C pad 0] else 1) -> Y: u8[H/2, W/2, C] { S[y, x, c] += u16(X[2*y + "
                             "r, 2*x + s, c]) where r in 0:2, "
                             "s in 0:2; Y[y, x, c] = u8((S[y, x, c] + 2)/4) }",
                             "kernel k(X: f32[H pad 1, W pad 1, C] else reflect, k: f32[3]) -> Y: f32[H/2, W/2, C] { "
                             "Y[y, x, c] += X[2*y + r - 1, 2*x, c]*k[r] where r in 0:3 }"}) {
        const Kernel kernel = kernel_of(text);
        for (const Variant& variant : whole_variants(kernel, open_solution(kernel))) {
            const Settings facts = sizes_in(variant.when);
            const Executor executor(kernel, choose_leg(""), {}, variant);
            for (const int width : {3, 70}) {
                SCOPED_TRACE(std::string(text) + " " + called(variant) + " " + std::to_string(width));
                expect_as_interpreted(executor, kernel,
                                      {{"H", 5}, {"W", width}, {"C", facts.count("C") ? facts.at("C") : 5}});
            }
        }
    }
}

TEST(WrittenOut, SumsAlongShortRowsComputeWhatTheLoopsDo) {
    std::vector<Settings> sizes;
    for (const int width : {2, 3, 17, 70}) sizes.push_back({{"H", 5}, {"W", width}});
    for (const char* text : {"kernel k(X: f32[H, W, 3], w: f32[3]) -> (G: f32, M: f32) { G[y, x] += X[y, x, c]*w[c]; "
                             "D[y, x, c] = abs(X[y, x + 1, c] - X[y, x, c]); M[y, x] max= D[y, x, c] }",
                             "kernel k(X: f32[H, W, 2], R: f32[2, 2], t: f32[2]) -> Q: f32 { Q[y, x, i] = t[i]; "
                             "Q[y, x, i] += R[i, j]*X[y, x, j] }",
                             "kernel k(X: f32[H, 3], P: f32[W, 3]) -> Y: f32 { D[y, x] += (X[y, c] - P[x, c])*(X[y, c] "
                             "- P[x, c]); Y[y] min= D[y, x] }",
                             "kernel k(X: u8[H, W, 4], B: u8[H, W]) -> Y: u8 { Y[y, x] = B[y, x]; "
                             "Y[y, x] max= X[y, x, c] }"})
        expect_variants_as_interpreted(text, sizes);
}

}  // namespace
}  // namespace halogen
