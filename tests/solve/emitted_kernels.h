#pragma once
// The kernels whose sizes are emitted as C++ headers and compiled into emitted_header_test and bench_solve.

#include "frontend/solve/solution.h"

namespace halogen::test {

inline const char* const emitted_kernels[] = {
    "kernel conv2d(X: f32[N, H pad P, W pad P, C] else 0, F: f32[R, S, C, K], T: size = 1, D: size = 1, P: size = 0) "
    "-> Y: f32[N, OH, OW, K] { Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k] }",
    "kernel halves(X: f32[2*N], S: size = 2) -> Y: f32[N, _] { Y[i, j] = X[2*i] * X[j/S] where j in 0:S*N }",
    "kernel extremes(X: f32[A], Y: f32[B]) -> Z: f32[max(A, B), min(A, B)] { Z[i, j] = X[i % A] + Y[j % B] }",
    "kernel cases(X: f32[A], V: f32[B], U: f32[C], K: size) -> Y: f32 { Y[i] = X[i % 4] * V[K*i] * U[5 - i] }",
};

/// Every parameter open.
inline Settings all_open(const Kernel& kernel) {
    Settings open;
    for (const SizeParam& p : kernel.sizes) open[p.name] = std::nullopt;
    return open;
}

}  // namespace halogen::test
