// Rows of many elements: a matrix times a vector, the largest of each row.

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

TEST(LongRows, RunOneAtATime) {
    std::vector<Settings> sizes;
    for (const int n : {15, 16, 1023, 1024, 1025, 1100})
        for (const int m : {1, 3, 5}) sizes.push_back({{"M", m}, {"N", n}});
    for (const char* equation : {"Y[i] += A[i, j]*x[j]", "Y[i] max= A[i, j]*x[j]"})
        expect_variants_as_interpreted(
            std::string("kernel k(A: f32[M, N], x: f32[N]) -> Y: f32[M] { ") + equation + " }", sizes);
}

}  // namespace
}  // namespace halogen
