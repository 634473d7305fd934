// Vectors that are read from a fixed place backwards.

#include "tests/schedule/run_compiled.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

// Fewer elements lie before `A[3]` than a vector has lanes: Halide would begin it at a number below 0, and end with an internal error.
TEST(BackwardVectors, FromAPlaceWithFewElementsBeforeIt) {
    expect_as_interpreted(
        "kernel k(F: u8[C, S, S], G: i8[H, K], A: i8[C + 4 pad (1, 0)] else edge) -> J: u8 {\n"
        "  J[n + 2] = F[G[n, A[3 - n]], n, n]\n"
        "}",
        {{"C", 3}, {"S", 5}, {"K", 2}},
        {{"G", values(Type::i8, {5, 2}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0})},
         {"A", values(Type::i8, {7}, {1, 0, 1, 1, 0, 0, 0})}});
}

}  // namespace
}  // namespace halogen
