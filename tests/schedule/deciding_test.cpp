// Conditions that decide whether an intermediate is needed, compiled: as the interpreter computes them.

#include "tests/schedule/run_compiled.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

// Halide asks of each intermediate whether it is needed at all, and ended with an internal error where the answer is `not` of a
// value that stands in the equation twice.
TEST(Deciding, OfReadsThatStandInTheEquationTwice) {
    expect_as_interpreted(
        "kernel k(U: bool[R], G: i32[R, B], X: i32[N]) -> Q: i32[N] {\n"
        "  tmp T: i32[N]\n"
        "  T[n] = 2*X[n]\n"
        "  Q[u] += select(U[r], G[r, b], T[u]) where not U[r]\n"
        "}",
        {{"R", 4}, {"B", 2}, {"N", 3}});
    expect_as_interpreted(
        "kernel k(B: u32[L, H], F: bool[L], Z: u32[L]) -> Y: u32 {\n"
        "  tmp T: u32[L]\n"
        "  T[l] = 2*Z[l]\n"
        "  Y[] += select(F[l] and F[l], 1, T[l]) where 2 < B[l, j]\n"
        "}",
        {{"L", 5}, {"H", 3}});
    expect_as_interpreted(
        "kernel k(U: bool[R], X: f32[N]) -> Q: f32[N - 1] {\n"
        "  tmp T: f32[N - 1]\n"
        "  T[n] += X[n + m] where m in 0:2\n"
        "  Q[u] += select(U[r], 1, T[u])*select(U[r], 2, T[u])\n"
        "}",
        {{"R", 4}, {"N", 7}});
}

}  // namespace
}  // namespace halogen
