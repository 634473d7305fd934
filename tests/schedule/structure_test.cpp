// Which tensors are stored, and which sums are computed in whose tiles.

#include "schedules/recipes/structure.h"
#include "frontend/plan/order.h"
#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

#include <string>

namespace halogen {
namespace {

/// "Y(B_value)": each stored Func with the sums in its tiles; then the number of loops that all of them share.
std::string structure_text(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    const Structure structure = structure_of(kernel, open_solution(kernel));
    std::string hosts;
    for (const Host& host : structure.hosts) {
        hosts += (hosts.empty() ? "" : " ") + host.func + "(";
        for (const Core& core : host.cores) hosts += (&core == host.cores.data() ? "" : ", ") + core.func;
        hosts += ")";
    }
    return hosts + " " + std::to_string(structure.fused_dims);
}

TEST(Structure, OneProductIsComputedInTheTilesOfItsReader) {
    EXPECT_EQ(structure_text("A[i,j] += X[i,k]*F[k,j]; Y[i,j] = max(A[i,j], 0)"), "Y(A_value) 0");
}

TEST(Structure, OfSeveralProductsOneIs) {
    EXPECT_EQ(structure_text("A[i,j] += X[i,k]*F[k,j]; B[i,j] += X[i,k]*G[k,j]; Y[i,j] = A[i,j]*B[i,j]"),
              "A(A_value) Y(B_value) 0");
    EXPECT_EQ(structure_text("A[i,j] += X[i,k]*F[k,j]; B[i] += X[i,k]; C[i,j] += X[i,k]*G[k,j]; Y[i,j] = A[i,j]/B[i] + "
                             "C[i,j]"),
              "A(A_value) B(B_value) Y(C_value) 0");
}

TEST(Structure, OfSeveralWindowsOfInputsOneIs) {
    EXPECT_EQ(
        structure_text(
            "kernel k(X: u8[H, W]) -> Y: u8[H - 2, W - 2] { E[y, x] min= X[y + r, x + s] where r in 0:3, s in 0:3; "
            "D[y, x] max= X[y + r, x + s] where r in 0:3, s in 0:3; Y[y, x] = D[y, x] - E[y, x] }"),
        "E(E_value) Y(D_value) 0");
}

TEST(Structure, WindowsOfWhatIsComputedShareTheirTilesAndItsRows) {
    EXPECT_EQ(structure_text("kernel k(X: f32[H, W]) -> Y: f32[H - 2, W - 2] { U[y, x] = exp(X[y, x]); "
                             "E[y, x] += U[y + r, x + s] where r in 0:3, s in 0:3; "
                             "D[y, x] max= U[y + r, x + s] where r in 0:3, s in 0:3; Y[y, x] = D[y, x] - E[y, x] }"),
              "U() Y(D_value, E_value) 1");
    EXPECT_EQ(structure_text("kernel k(X: f32[H, W], R: size) -> Y: f32[H + 1 - R, W + 1 - R] { "
                             "U[y, x] = exp(X[y, x]); E[y, x] += U[y + r, x + s] where r in 0:R, s in 0:R; "
                             "D[y, x] max= U[y + r, x + s] where r in 0:R, s in 0:R; Y[y, x] = D[y, x] - E[y, x] }"),
              "U() Y(D_value, E_value) 0")
        << "of any height: too many rows to keep";
    EXPECT_EQ(structure_text("kernel k(X: f32[N, H, W]) -> Y: f32[N, H - 2, W - 2] { U[n, y, x] = exp(X[n, y, x]); "
                             "E[n, y, x] += U[n, y + r, x + s] where r in 0:3, s in 0:3; "
                             "D[n, y, x] max= U[n, y + r, x + s] where r in 0:3, s in 0:3; "
                             "Y[n, y, x] = D[n, y, x] - E[n, y, x] }"),
              "U() Y(D_value, E_value) 1")
        << "whole images, whose rows are not the first dim";
}

TEST(Structure, WhatIsReadAtOnePointAloneIsComputedThere) {
    const std::string parts =
        "kernel k(X: f32[H, W], Z: f32[H, W]) -> Y: f32[H, W, 2] { G[y, x] = exp(X[y, x])*Z[y, x]; "
        "S[y, x] = G[y, x]/(G[y, x]*G[y, x] + Z[y, x]); ";
    EXPECT_EQ(structure_text(parts + "Y[y, x, c] = G[y, x]*S[y, x] + f32(c)*S[y, x] }"), "Y() 0")
        << "by S, which is read there, and by Y, whose colours are written out";
    EXPECT_EQ(structure_text(parts + "Y[y, x, c] = G[y, x]*S[y, x] + f32(c)*G[x, y] where H == W }"), "G() Y() 0")
        << "at two points";
    EXPECT_EQ(structure_text("kernel k(X: f32[H, W]) -> Y: f32[H, W, 5] { G[y, x] = exp(X[y, x]); "
                             "Y[y, x, c] = G[y, x]*f32(c) + G[y, x] }"),
              "G() Y() 2")
        << "once for each of many elements";
    EXPECT_EQ(structure_text("A[i] += X[i, k]; M[i] = A[i]/7; V[i] = exp(M[i] + 1); Y[i] = V[i]*M[i] + V[i]"),
              "Y(A_value) 0")
        << "a sum that several read by way of what is computed at its element";
}

TEST(Structure, TextThatWouldStandTooOftenIsStored) {
    std::string doubled = "kernel k(X: f32[N]) -> Y: f32[N] { A0[i] = exp(X[i])*X[i]; ";
    for (int n = 1; n <= 30; n++)
        doubled += "A" + std::to_string(n) + "[i] = A" + std::to_string(n - 1) + "[i]*A" + std::to_string(n - 1) +
                   "[i] + X[i]*X[i]; ";
    EXPECT_EQ(structure_text(doubled + "Y[i] = A30[i]*A30[i] + A30[i] }"), "A4() A11() A18() A25() Y() 0");
}

TEST(Structure, SumsOfRowsShareThem) {
    EXPECT_EQ(structure_text("A[i] += X[i,k]; B[i] += X[i,k]*X[i,k]; Y[i] = B[i] - A[i]*A[i]"),
              "Y(B_value, A_value) 0");
}

/// The loops of the last equation whose iterations know nothing of each other.
std::string unordered_text(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    std::string loops;
    for (const std::string& loop :
         unordered_loops(kernel, open_solution(kernel), static_cast<int>(kernel.equations.size()) - 1))
        loops += (loops.empty() ? "" : " ") + loop;
    return loops;
}

TEST(UnorderedLoops, AreThoseThatWriteElementsOfTheirOwn) {
    EXPECT_EQ(unordered_text("Y[i] += X[i,k]"), "i");
    EXPECT_EQ(
        unordered_text(
            "kernel k(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j]; Y[i, j] = 2*X[j, i] where i in 1:N-1, j in 2:M }"),
        "i j");
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, M]) -> Y: f32[N + M - 1, M] { Y[i + r, j] += X[i, j]*X[r, j] }"), "j");
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, M], I: i32[N]) -> Y: f32[9, M] { Y[I[i], j] += X[i, j] }"), "j");
    EXPECT_EQ(unordered_text("kernel k(A: f32[M], B: f32[P]) -> Y: f32[M*P] { Y[i*P + p] = A[i]*B[p] }"), "i p")
        << "no two points are assigned to one element";
    EXPECT_EQ(unordered_text("kernel k(A: f32[M], B: f32[P]) -> Y: f32[M*P] { Y[i*P + p] += A[i]*B[p] }"), "");
}

TEST(UnorderedLoops, ReadNothingThatAnotherIterationWrites) {
    EXPECT_EQ(unordered_text("Y[0, j] = X[0, j]; Y[i, j] = X[i, j] + Y[i-1, j] where i in 1:X.0"), "j");
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, N]) -> Y: f32 { Y[i, j] = X[i, j]; "
                             "Y[i, j] += -Y[i, 0]*Y[0, j] where i in 1:N, j in 1:N }"),
              "i j");
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, N]) -> Y: f32 { Y[i, j] = X[i, j]; "
                             "Y[i, j] += -Y[i, 1]*Y[0, j] where i in 1:N, j in 2:N }"),
              "i j");
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, N]) -> Y: f32 { Y[i, j] = X[i, j]; "
                             "Y[i, j] += -Y[i, 0]*Y[i-1, j] where i in 1:N, j in 1:N }"),
              "j");
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, N]) -> Y: f32 { Y[i, j] = X[i, j]; "
                             "Y[i, j] += Y[i-1, j-1] where i in 1:N, j in 1:N }"),
              "j")
        << "while i, which stays outside, stands still";
    EXPECT_EQ(unordered_text("kernel k(X: f32[N, N]) -> Y: f32 { Y[i, j] = X[i, j]; "
                             "Y[i, j] += Y[i-1, j] + Y[i, j-1] where i in 1:N, j in 1:N }"),
              "");
}

}  // namespace
}  // namespace halogen
