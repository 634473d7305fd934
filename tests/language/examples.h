#pragma once
// Programs that are right, in the canonical text `print` gives: one for every corner of the notation.

#include <array>

namespace halogen::testing {

struct Example {
    const char* about;
    const char* text;  // canonical: print(parse(text)) == text
};

inline constexpr Example examples[] = {
    {"convolution with stride, dilation and padding",
     "kernel conv2d(X: f32[N, H pad P, W pad P, C] else 0, F: f32[R, S, C, K], T: size = 1, D: size = 1,\n"
     "              P: size = 0) -> Y: f32[N, OH, OW, K] {\n"
     "  Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k]\n"
     "}\n"},
    {"a tensor S beside a size S",
     "kernel softmax(X: f32[B, S]) -> Y: f32 {\n"
     "  M[b] max= X[b, n]\n"
     "  E[b, n] = exp(X[b, n] - M[b])\n"
     "  S[b] += E[b, n]\n"
     "  Y[b, n] = E[b, n] / S[b]\n"
     "}\n"},
    {"an intermediate with two equations",
     "kernel gelu_linear(X: f32[M, K], W: f32[N, K], bias: f32[N]) -> Y: f32 {\n"
     "  Z[m, n] = bias[n]\n"
     "  Z[m, n] += X[m, k] * W[n, k]\n"
     "  Y[m, n] = 0.5*Z[m, n]*(1 + erf(Z[m, n]*0.70710678))\n"
     "}\n"},
    {"two kernels in one text",
     "kernel a(X: f32[N]) -> Y: f32 {\n  Y[i] = X[i]\n}\n\nkernel b(X: f32[N]) -> Y: f32 {\n  Y[i] = -X[i]\n}\n"},
    {"several outputs of different types",
     "kernel split(X: f32[N]) -> (V: f32, I: i32[N]) {\n  V[i] = X[i]\n  I[i] = i32(X[i])\n}\n"},
    {"no parameter at all", "kernel ramp() -> Y: i64[4] {\n  Y[i] = i\n}\n"},
    {"formulas as dims",
     "kernel space_to_depth(X: f32[H, W], B: size) -> Y: f32[H/B, W/B, B*B] {\n"
     "  Y[y, x, b] = X[B*y + b/B, B*x + b%B]\n}\n"},
    {"min and max in dims", "kernel fit(X: f32[max(N, M), min(N, M)%2]) -> Y: f32 {\n  Y[i, j] = X[i, j]\n}\n"},
    {"an undeclared dim among declared ones",
     "kernel free_dim(X: f32[_, N pad 1] else 0) -> Y: f32[_, N] {\n  Y[i, j] = X[i, j - 1]\n}\n"},
    {"rank 0 everywhere", "kernel total(X: f32[N], B: f32[]) -> Y: f32[] {\n  Y[] = B[]\n  Y[] += X[i]\n}\n"},
    {"a run-time scalar of each sort",
     "kernel axpy(a: f32, keep: bool, X: f32[N], b: f32[N]) -> Y: f32 {\n  Y[i] = select(keep, a*X[i] + b[i], "
     "X[i])\n}\n"},
    {"a scalar that is a capital", "kernel scale(A: f32, X: f32[N]) -> Y: f32 {\n  Y[i] = A*X[i]\n}\n"},
    {"a size in lower case, declared behind its first use",
     "kernel late(X: f32[n], n: size) -> Y: f32 {\n  Y[i] = X[i]*n\n}\n"},
    {"a tensor and an index of one name", "kernel twin(i: i32[N]) -> Y: i32 {\n  Y[i] = i[i] + i\n}\n"},
    {"a tensor named as a function, and an index named as a mode",
     "kernel odd(exp: f32[N]) -> Y: f32 {\n  Y[edge] = exp(exp[edge])\n}\n"},
    {"a pair of pads",
     "kernel pair(X: f32[N pad (P0, P1 + 1)] else -1.5, P0: size, P1: size = 2) -> Y: f32 {\n  Y[i] = X[i - P0]\n}\n"},
    {"a pad that begins with a bracket",
     "kernel bracket(X: f32[N pad (P + 1)*2] else lowest) -> Y: f32 {\n  Y[i] = X[i - 1]\n}\n"},
    {"a pad that ends with a call",
     "kernel call(X: f32[N pad max(P, 1), M] else highest) -> Y: f32 {\n  Y[i, j] = X[i - 1, j]\n}\n"},
    {"edge", "kernel edge(X: u8[N pad 1] else edge) -> Y: u8 {\n  Y[i] = X[i - 1]\n}\n"},
    {"reflect", "kernel reflect(X: f64[N pad 1] else reflect) -> Y: f64 {\n  Y[i] = X[i - 1]\n}\n"},
    {"symmetric", "kernel symmetric(X: i16[N pad 1] else symmetric) -> Y: i16 {\n  Y[i] = X[i - 1]\n}\n"},
    {"wrap", "kernel wrap(X: bool[N pad 1] else wrap) -> Y: bool {\n  Y[i] = X[i - 1]\n}\n"},
    {"an output that is padded, for a recurrence that reads beside it",
     "kernel heat(X: f32[N], T: size) -> Y: f32[T, N pad 1] else 0 {\n"
     "  Y[0, i] = X[i]\n"
     "  Y[t, i] = 0.5*Y[t - 1, i - 1] + 0.5*Y[t - 1, i + 1] where t in 1:T\n}\n"},
    {"every type",
     "kernel types(A: f64[N], B: f32[N], C: f16[N], D: bf16[N], E: i8[N], F: i16[N], G: i32[N], H: i64[N],\n"
     "             I: u8[N], J: u16[N], K: u32[N], L: bool[N]) -> Y: f64 {\n"
     "  Y[i] = A[i] + f64(B[i]) + f64(C[i]) + f64(D[i]) + f64(E[i]) + f64(F[i]) + f64(G[i]) + f64(H[i]) + f64(I[i]) + "
     "f64(J[i]) + f64(K[i]) + f64(L[i])\n}\n"},
    {"every op on numbers",
     "kernel ops(X: i32[N, K]) -> (A: i32, B: i32, C: i32, D: i32, E: i32) {\n"
     "  A[i] = X[i, 0]\n  B[i] += X[i, k]\n  C[i] *= X[i, k]\n  D[i] max= X[i, k]\n  E[i] min= X[i, k]\n}\n"},
    {"the ops on bool",
     "kernel logic(X: f32[N, K]) -> (A: bool, B: bool) {\n  A[i] and= X[i, k] > 0\n  B[i] or= X[i, k] != X[i, 0]\n}\n"},
    {"every function",
     "Y[i] = select(X[i] > 0, min(X[i], 1), max(X[i], -1)) + abs(X[i]) + floor(X[i]) + ceil(X[i]) + round(X[i])\n"
     "Z[i] = sqrt(Y[i]) + rsqrt(Y[i]) + exp(Y[i]) + log(Y[i]) + sin(Y[i]) + cos(Y[i]) + tanh(Y[i]) + erf(Y[i]) + "
     "sigmoid(Y[i]) + pow(Y[i], 2)\n"},
    {"a bare equation", "C[i, j] += A[i, k] * B[k, j]\n"},
    {"sizes of undeclared dims", "Y[i] = X[i]/X.0 where i in 1:X.0\n"},
    {"where: ranges and predicates",
     "Y[i, j] += X[i, k] * W[k, j] where k in 0:X.1 - 1, k != j, i < j or not i == 0 and j >= 2\n"},
    {"a predicate on data", "Y[i] += X[i, k] where X[i, k] > 0.5\n"},
    {"gather, and its cast", "Y[i] = X[i32(I[i]), i]\n"},
    {"scatter", "kernel histogram(X: u8[N]) -> H: i32[256] {\n  H[X[n]] += 1\n}\n"},
    {"a left side that is compound", "Y[2*x + k] += X[x] * W[k]\n"},
    {"concatenation",
     "kernel concat(A: f32[M, P], B: f32[M, Q]) -> Z: f32 {\n  Z[m, a] = A[m, a]\n  Z[m, b + P] = B[m, b]\n}\n"},
    {"positions by /, %, min, max and abs", "Y[i] = X[i/2, i%2, min(i, 3), max(i - 1, 0), abs(i - 4)]\n"},
    {"a recurrence", "Y[0] = X[0]\nY[i] = 0.5*Y[i - 1] + X[i] where i in 1:X.0\n"},
    {"a recurrence that runs down",
     "kernel down(X: f32[N]) -> Y: f32[N] {\n  Y[N - 1] = X[N - 1]\n  Y[N - 1 - i] = Y[N - i] + X[N - 1 - i] where i "
     "in 1:N\n}\n"},
    {"a recurrence in two directions",
     "D[i, j] = min(D[i - 1, j], D[i, j - 1]) + X[i, j] where i in 1:X.0, j in 1:X.1\n"},
    {"a triangular solve", "Y[i] = B[i]\nY[i] += -L[i, j]*Y[j] where j < i\n"},
    {"an update in place", "Y[i] = X[i]\nY[i] = Y[i] * Y[i]\n"},
    {"a scan by itself", "Y[i] = X[i]\nY[i] += Y[i - 1] where i in 1:X.0\n"},
    {"the least i64 and the greatest",
     "kernel ends() -> Y: i64 {\n  Y[] = -9223372036854775808 + 9223372036854775807\n}\n"},
    {"reals", "Y[i] = X[i]*0.1 + 1e-30*X[i] + 1e+20 + 2.0 + 0.30000000000000004\n"},
    {"a product of reads and others", "Y[i] = A[i] * B[i] / C[i] + 2*A[i]*B[i]\n"},
    {"brackets only where needed",
     "Y[i] = (X[i] + 1)*(X[i] - 1) - (X[i] - (2 - X[i])) + X[i] / (X[i] * X[i]) + -X[i] - -(X[i] + 1)*2\n"},
    {"logic and its brackets",
     "Y[i] = X[i] where (i < 1 or i > 2) and not (i == 0 or i != 3) and (i < 2) == (i > 1), not not i == 1\n"},
};

}  // namespace halogen::testing
