// The dim of intermediates last that vectors run along: short dims, which all readers reduce, and steps before it.

#include "frontend/plan/vector_dim_last.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string turned(const std::string& text) { return equations_after(vector_dim_last, text); }

TEST(VectorDimLast, WeightsOfAWindowLieBesideEachOtherForNeighbours) {
    EXPECT_EQ(turned("kernel k(X: f32[H pad 1, W pad 1] else edge, g: f32[3, 3]) -> Y: f32[H, W] { "
                     "E[y, x, r, s] = g[r, s]*exp(X[y, x] - X[y + r - 1, x + s - 1]); "
                     "w[y, x] += E[y, x, r, s]; n[y, x] += E[y, x, r, s]*X[y + r - 1, x + s - 1]; "
                     "Y[y, x] = n[y, x]/w[y, x] }"),
              "E[y, r, s, x] = g[r, s]*exp(X[y, x] - X[y + r - 1, x + s - 1])\n"
              "w[y, x] += E[y, r, s, x]\n"
              "n[y, x] += E[y, r, s, x] * X[y + r - 1, x + s - 1]\n"
              "Y[y, x] = n[y, x] / w[y, x]\n");
    EXPECT_EQ(turned("kernel k(X: f32[B, N]) -> Y: f32[B, N - 2] { tmp D: f32[B, N - 2, 3]; "
                     "D[b, n, r] = exp(X[b, n + r] - X[b, n]); m[b, n] max= D[b, n, r]; "
                     "s[b, n] += D[b, n, r]; Y[b, n] = m[b, n]/s[b, n] }"),
              "D[b, r, n] = exp(X[b, n + r] - X[b, n])\n"
              "m[b, n] max= D[b, r, n]\n"
              "s[b, n] += D[b, r, n]\n"
              "Y[b, n] = m[b, n] / s[b, n]\n")
        << "as declared";
}

TEST(VectorDimLast, StepsOfManyElementsRunBesideEachOther) {
    EXPECT_EQ(turned("kernel k(X: f32[N], c: f32[P]) -> Y: f32[N] { a[n, 0] = c[0]; "
                     "a[n, p] = a[n, p - 1]*X[n] + c[p] where p in 1:P; Y[n] = a[n, P - 1] }"),
              "a[0, n] = c[0]\n"
              "a[p, n] = a[p - 1, n] * X[n] + c[p] where p in 1:P\n"
              "Y[n] = a[P - 1, n]\n");
    EXPECT_EQ(turned("kernel k(X: f32[B, N], c: f32[P]) -> Y: f32[B, N] { a[b, n, 0] = 0; "
                     "a[b, n, p] = sin(a[b, n, p - 1]*X[b, n] + c[p]) where p in 1:P; Y[b, n] += a[b, n, p]*c[p] }"),
              "a[b, 0, n] = 0\n"
              "a[b, p, n] = sin(a[b, p - 1, n] * X[b, n] + c[p]) where p in 1:P\n"
              "Y[b, n] += a[b, p, n] * c[p]\n");
}

TEST(VectorDimLast, StepsAlongWhatIsReadStayAsTheyAre) {
    for (const char* text : {
             // of rows that lie along the steps
             "kernel k(X: f32[B, N]) -> Y: f32[B] { a[b, 0] = X[b, 0]; a[b, n] = max(a[b, n - 1], X[b, n]) where n in "
             "1:N; "
             "Y[b] = a[b, N - 1] }",
             // of which all are kept
             "kernel k(X: f32[N], c: f32[P]) -> Y: f32[N, P] { a[n, 0] = c[0]; "
             "a[n, p] = a[n, p - 1]*X[n] + c[p] where p in 1:P; Y[n, p] = a[n, p]*c[p] }",
             // each from the one beside it
             "kernel k(X: f32[N], c: f32[P]) -> Y: f32[N] { a[n, 0] = c[0]; a[0, p] = c[p]; "
             "a[n, p] = a[n - 1, p - 1]*X[n] + c[p] where p in 1:P, n in 1:N; Y[n] = a[n, P - 1] }",
         })
        EXPECT_EQ(turned(text), "nothing") << text;
}

TEST(VectorDimLast, NothingWhereVectorsWouldNotGain) {
    for (const char* text : {
             // a result
             "kernel k(X: f32[B, N]) -> (D: f32[B, N - 2, 3], m: f32) { "
             "D[b, n, r] = exp(X[b, n + r]) where r in 0:3; m[b, n] max= D[b, n, r] }",
             // one that has no rows
             "kernel k(X: f32[N]) -> Y: f32[N - 2] { D[n, r] = exp(X[n + r] - X[n]) where r in 0:3; Y[n] += D[n, r] }",
             // kept by a reader
             "kernel k(X: f32[B, N, 3]) -> Y: f32 { D[b, n, c] = exp(X[b, n, c]); s[b, n] += D[b, n, c]; "
             "Y[b, n, c] = D[b, n, c]/s[b, n] }",
             // read where it lies in rows of three
             "kernel k(X: f32[B, N, 3]) -> Y: f32 { D[b, n, c] = exp(X[b, n, c]); Y[b, n] += D[b, n, c] }",
             // many
             "kernel k(X: f32[B, N], g: f32[65]) -> Y: f32 { "
             "D[b, n, r] = exp(X[b, n + r]*g[r]); Y[b, n] += D[b, n, r] }",
             // of unknown number
             "kernel k(X: f32[B, N], g: f32[R]) -> Y: f32 { D[b, n, r] = exp(X[b, n + r]*g[r]); Y[b, n] += D[b, n, r] "
             "}",
             // reduced to other places than it has
             "kernel k(X: f32[B, N], g: f32[3]) -> Y: f32 { D[b, n, r] = exp(X[b, n + r]*g[r]); Y[b] += D[b, n, r] }",
         })
        EXPECT_EQ(turned(text), "nothing") << text;
}

TEST(VectorDimLast, ComputesWhatTheRowsDo) {
    std::vector<Settings> sizes;
    for (const int w : {1, 2, 15, 16, 17, 40})
        for (const int h : {1, 3}) sizes.push_back({{"H", h}, {"W", w}});
    expect_as_interpreted_on_all_legs(
        "kernel k(X: f32[H pad 1, W pad 2] else edge, g: f32[3, 5], k: f32) -> Y: f32[H, W] { "
        "E[y, x, r, s] = g[r, s]*exp(-k*(X[y + r - 1, x + s - 2] - X[y, x])*(X[y + r - 1, x + s - 2] - X[y, x])); "
        "w[y, x] += E[y, x, r, s]; n[y, x] += E[y, x, r, s]*X[y + r - 1, x + s - 2]; Y[y, x] = n[y, x]/(w[y, x] + 1) }",
        sizes);
}

}  // namespace
}  // namespace halogen
