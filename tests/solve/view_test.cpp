// Views: composed maps, what is zero-copy and what needs a copy, and maps turned round.

#include "frontend/solve/view.h"
#include "tests/solve/solved.h"

namespace halogen {
namespace {

std::string view(const std::string& text, const Settings& known = {}, std::size_t which = 0) {
    const auto all = views(test::kernel_of(text), test::solved(text, known));
    return which < all.size() ? print(all[which]) : "no view";
}

TEST(TensorView, WindowsAndSlicesAreStrided) {
    EXPECT_EQ(view("V[y, r] = X[2*y + r + 1]; Y[y] += V[y, r]*W[r]"),
              "V = as_strided(X, shape [(X.0 - W.0 + 1)/2, W.0], strides [2, 1], offset 1)");
    EXPECT_EQ(view("U[x] = X[3*x + 1]; V[y, r] = U[2*y + r]; Y[y] += V[y, r]*W[r]", {{"X.0", 40}, {"W.0", 3}}, 1),
              "V = as_strided(X, shape [6, 3], strides [6, 3], offset 1)");
}

TEST(TensorView, FlipsAndTransposesAndBroadcastsAreStrided) {
    EXPECT_EQ(view("Y[i] = X[X.0 - 1 - i]"), "Y = as_strided(X, shape [X.0], strides [-1], offset X.0 - 1)");
    EXPECT_EQ(view("Y[j, i] = X[i, j]"), "Y = as_strided(X, shape [X.1, X.0], strides [1, X.1], offset 0)");
    EXPECT_EQ(view("kernel b(X: f32[N]) -> Y: f32[M, N] { Y[m, n] = X[n] }"),
              "Y = as_strided(X, shape [M, N], strides [0, 1], offset 0)");
    EXPECT_EQ(view("Y[i] = A[i, i]"), "Y = as_strided(A, shape [A.0], strides [A.0 + 1], offset 0)");
}

TEST(TensorView, ReshapingIsStridedThoughItsPlacesAreQuotients) {
    EXPECT_EQ(view("kernel r(X: f32[A, B]) -> Y: f32[A*B] { Y[k] = X[k/B, k % B] }"),
              "Y = as_strided(X, shape [A*B], strides [1], offset 0)");
    EXPECT_EQ(view("kernel s(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }"),
              "Y = as_strided(X, shape [N/M, M], strides [M, 1], offset 0)");
}

TEST(TensorView, WhatNeedsACopySaysWhy) {
    EXPECT_EQ(view("Y[i] = X[i/2]"),
              "Y needs a copy of X: its address is no sum of strides times indices: a quotient or remainder stays");
    EXPECT_EQ(view("kernel p(X: f32[N pad 1] else 0) -> Y: f32[N + 2] { Y[i] = X[i - 1] }"),
              "Y needs a copy of X: X[i - 1] reads the padding of dim 0 of `X`");
    EXPECT_EQ(view("kernel g(X: f32[N], I: i32[M]) -> Y: f32[M] { Y[m] = X[I[m]] }"), "no view");
}

}  // namespace
}  // namespace halogen
