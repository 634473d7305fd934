// Tensors that their equations fill, whose start values nobody sees.

#include "frontend/plan/filled.h"

#include "frontend/notation/versions.h"
#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

#include <span>

namespace halogen {
namespace {

/// Whether the equations of the first tensor that the kernel writes fill it.
bool fills(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    return is_filled(kernel, open_solution(kernel), versions_of(kernel).all.front().equations);
}

const char* const filled[] = {
    // Cumulative sums along each of two dims.
    "kernel k(X: f32[M, N]) -> Y: f32[M, N] { Y[0, j] = X[0, j]; Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:M }",
    "kernel k(X: f32[M, N]) -> Y: f32[M, N] { Y[i, 0] = X[i, 0]; Y[i, j] = Y[i, j - 1] + X[i, j] where j in 1:N }",
    // Two places to begin with.
    "kernel k(X: f32[N]) -> Y: f32[N] "
    "{ Y[0] = X[0]; Y[1] = X[1]; Y[i] = 0.5*Y[i - 1] + 0.25*Y[i - 2] + X[i] where i in 2:N }",
    // Parts side by side.
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i] where i in 0:3; Y[i] = 2*X[i] where i in 3:N }",
    "kernel k(A: f32[M, N], B: f32[M, L]) -> Y: f32[M, N + L] "
    "{ Y[i, j] = A[i, j] where j in 0:N; Y[i, N + j] = B[i, j] where j in 0:L }",
    "kernel k(X: f32[N]) -> Y: f32[2*N + 1] "
    "{ Y[i] = X[i] where i in 0:N; Y[N] = 0; Y[N + 1 + i] = Y[N + i] + X[i] where i in 0:N }",
    // As many points as elements.
    "kernel k(A: f32[M, N], B: f32[P, Q]) -> Y: f32[M*P, N*Q] { Y[i*P + p, j*Q + q] = A[i, j]*B[p, q] }",
    "kernel k(X: f32[H, W, C]) -> Y: f32[W, H, C] { Y[x, H - 1 - y, c] = X[y, x, c] }",
    // Beyond the edge lies a value of its own.
    "kernel k(X: f32[N]) -> Y: f32[N pad (2, 0)] else 1 { Y[i] = X[i] - 0.5*Y[i - 1] - 0.25*Y[i - 2] }",
};

const char* const not_filled[] = {
    // A place is left out; at the end, between two parts, at the beginning.
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = X[i] where i in 1:N - 1 }",
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i] where i in 0:3; Y[i] = 2*X[i] where i in 4:N }",
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[1] = X[1]; Y[i] = Y[i - 1] + X[i] where i in 2:N }",
    "kernel k(X: f32[N]) -> Y: f32[2*N + 1] { Y[i] = X[i] where i in 0:N; Y[N + 1 + i] = X[i] where i in 0:N }",
    "kernel k(X: f32[N]) -> Y: f32[2*N] { Y[2*i] = X[i] where i in 0:N; Y[2*i + 1] = X[i] where i in 0:N }",
    // Fewer points than elements.
    "kernel k(A: f32[M], B: f32[P]) -> Y: f32[M*P + 1] { Y[i*P + p] = A[i]*B[p] }",
    // An element is read before it is assigned: itself, in another order, the one behind it.
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = 0.5*Y[i] + X[i] where i in 1:N }",
    "kernel k(X: f32[M, N]) -> Y: f32 { Y[0, j] = X[0, j]; Y[i, j] = Y[i - 1, N - 1 - j] + X[i, j] where i in 1:M }",
    "kernel k(X: f32[N]) -> Y: f32[2*N] { Y[i] = X[i] where i in 0:N; Y[N + i] = Y[N + i] + X[i] where i in 0:N }",
    // Beyond the edge lies an element of the tensor itself.
    "kernel k(X: f32[N]) -> Y: f32[N pad (2, 0)] else edge { Y[i] = X[i] - 0.5*Y[i - 1] - 0.25*Y[i - 2] }",
    // Nothing is computed where N is 0.
    "kernel k(X: i32[N]) -> Y: i32 { Y[0] = X[0] }",
    // Some points are left out, or added.
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = Y[i - 1] + X[i] where i in 1:N, X[i] > 0 }",
    "kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] += Y[i - 1] + X[i] where i in 1:N }",
};

TEST(Filled, AlongOneDimFromFirstToLast) {
    for (const char* text : filled) EXPECT_TRUE(fills(text)) << text;
}

TEST(Filled, NotWhereAnElementKeepsOrShowsWhatWasThere) {
    for (const char* text : not_filled) EXPECT_FALSE(fills(text)) << text;
}

TEST(Filled, ValuesAreThoseOfTheInterpreterEitherWay) {
    for (const auto& list : {std::span<const char* const>(filled), std::span<const char* const>(not_filled)}) {
        for (const char* text : list) {
            const Kernel kernel = kernel_of(text);
            Settings sizes;
            for (const Tensor* input : kernel.inputs())
                for (int d = 0; d < input->rank; ++d) sizes[input->name + "." + std::to_string(d)] = d ? 35 : 37;
            expect_as_interpreted(text, sizes);
        }
    }
}

}  // namespace
}  // namespace halogen
