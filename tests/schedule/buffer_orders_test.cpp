// What helps a kernel whose buffers are not row-major, by the shape of its loops.

#include "generators/run/executor.h"
#include "schedules/recipes/recipe.h"

#include <gtest/gtest.h>

#include <string>

namespace halogen {
namespace {

/// "reversed" where column-major buffers get a schedule of their own, "rows only" where they would need one, then the tensors that are copied when they lie across.
std::string orders_of(const std::string& text) {
    const Kernel kernel = parse(text).value().kernels.at(0);
    const BufferOrders orders = buffer_orders(kernel, solve_open(kernel));
    std::string told = orders.reversed ? "reversed" : orders.rows_only ? "rows only" : "";
    for (const std::string& name : orders.densely) told += (told.empty() ? "" : " ") + name;
    return told;
}

TEST(BufferOrders, MapsAndProductsTakeAnyOrder) {
    EXPECT_EQ(orders_of("Y[i, j] = A[i, j] + B[i, j]"), "");
    EXPECT_EQ(orders_of("Y[i, j] = A[j, i]"), "");
    EXPECT_EQ(orders_of("C[i, j] += A[i, k]*B[k, j]"), "");
    EXPECT_EQ(orders_of("Y[i] += X[i, j]"), "");
    EXPECT_EQ(orders_of("Y[j] max= X[i, j]"), "");
}

TEST(BufferOrders, StencilsTakeRowsOrColumnsButNotBoth) {
    EXPECT_EQ(orders_of("kernel k(X: f32[H pad 1, W pad 1] else edge) -> "
                        "Y: f32[H, W] { Y[y, x] = X[y - 1, x] + X[y, x + 1] }"),
              "X Y");
}

TEST(BufferOrders, RowsOfIntermediatesScansAndWindowsFollowRows) {
    EXPECT_EQ(orders_of("S[i] += X[i, j]; Y[i, j] = X[i, j] - S[i]"), "reversed X Y");
    EXPECT_EQ(orders_of("kernel c(X: f32[B, N]) -> Y: f32[B, N] { Y[b, 0] = X[b, 0]; Y[b, n] = Y[b, n - 1] + X[b, n] "
                        "where n in 1:N }"),
              "reversed X Y");
    EXPECT_EQ(orders_of("kernel p(X: f32[H, W]) -> Y: f32[OH, OW] { Y[y, x] max= X[2*y + r, 2*x + s] where r in 0:2, "
                        "s in 0:2 }"),
              "reversed X Y");
}

TEST(BufferOrders, WhatIsReadHereAndThereIsNeverCopied) {
    EXPECT_EQ(orders_of("kernel g(T: f32[K, C], I: i32[M]) -> Y: f32[M, C] { Y[m, c] = T[I[m], c] }"), "Y");
    EXPECT_EQ(
        orders_of("kernel f(X: f32[M, N], W: f32[M, K]) -> Y: f32[M, N] { S[i] += X[i, j]; Y[i, j] = W[i, 0]*X[i, j] - "
                  "S[i] }"),
        "reversed X Y");
}

TEST(BufferOrders, WhatDependsOnTheOrderOfItsLoopsIsNotReversed) {
    EXPECT_EQ(orders_of("kernel k(X: f32[M, K, L]) -> Y: f32[M] { Y[m] = 1; Y[m] += Y[m]*X[m, k, l] }"), "rows only X");
}

TEST(BufferOrders, VectorsHaveOneOrder) {
    EXPECT_EQ(orders_of("kernel c(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[n] = Y[n - 1] + X[n] where n in 1:N }"), "");
}

}  // namespace
}  // namespace halogen
