// Quotients taken of a product rather than of each of its terms.

#include "frontend/plan/deferred.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string deferred_equations(const std::string& text) { return equations_after(deferred, text); }

const std::string softmax = "T[i] max= Z[i, j]\nP[i, j] = exp(Z[i, j] - T[i])\nS[i] += P[i, j]\n";

TEST(Deferred, AQuotientOfEachElementOfTheResultForOneOfEachPair) {
    EXPECT_EQ(deferred_equations("kernel k(Z: f32[L, M], V: f32[M, E]) -> Y: f32 { " + softmax +
                                 "W[i, j] = P[i, j]/S[i]\nY[i, e] += W[i, j]*V[j, e] }"),
              softmax +
                  "W[i, j] = P[i, j]\n"
                  "Y_sum[i, e] += W[i, j] * V[j, e]\n"
                  "Y[i, e] = select(M > 0, Y_sum[i, e] / S[i], 0)\n");
    EXPECT_EQ(deferred_equations("T[b] max= A[b, n]*2\nS[b] += A[b, n]\nW[h, j] = exp(A[h, j]*2 - T[h])/(S[h] + 1)\n"
                                 "Y[e, i] += V[e, k]*W[i, k]"),
              "T[b] max= A[b, n]*2\n"
              "S[b] += A[b, n]\n"
              "W[h, j] = exp(A[h, j]*2 - T[h])\n"
              "Y_sum[e, i] += V[e, k] * W[i, k]\n"
              "Y[e, i] = select(V.1 > 0, Y_sum[e, i]/(S[i] + 1), 0)\n");
}

TEST(Deferred, NothingWhereASumCouldLeaveTheRangeOfNumbersOrQuotientsAreReadAgain) {
    const std::string head = "kernel k(Z: f32[L, M], V: f32[M, E], S: f32[L]) -> ";
    for (const std::string& text :
         {head + "Y: f32 { W[i, j] = Z[i, j]/S[i]\nY[i, e] += W[i, j]*V[j, e] }",
          head + "Y: f32 { W[i, j] = exp(Z[i, j])/S[i]\nY[i, e] += W[i, j]*V[j, e] }",
          head + "Y: f32 { T[i] max= Z[i, j] where j in 0:M/2\nW[i, j] = exp(Z[i, j] - T[i])/S[i]\nY[i, e] += W[i, "
                 "j]*V[j, e] }",
          head + "Y: f32 { T[j] max= Z[i, j]\nU[i, j] = T[j]\nW[i, j] = exp(Z[i, j] - U[i, j])/S[i]\nY[i, e] += W[i, "
                 "j]*V[j, e] }",
          head + "Y: f32 { T[i] max= Z[i, j]\nW[i, j] = exp(Z[i, j] - T[i])/V[j, 0]\nY[i, e] += W[i, j]*V[j, e] }",
          head +
              "(Y: f32, W: f32) { T[i] max= Z[i, j]\nW[i, j] = exp(Z[i, j] - T[i])/S[i]\nY[i, e] += W[i, j]*V[j, e] }",
          head + "Y: f32 { T[i] max= Z[i, j]\nW[i, j] = exp(Z[i, j] - T[i])/S[i]\nY[i, e] += W[i, j]*W[i, j]*V[j, e] }",
          head + "Y: f32 { T[i] max= Z[i, j]\nW[i, j] = exp(Z[i, j] - T[i])/S[i]\nY[i, e] = V[0, e]\nY[i, e] += W[i, "
                 "j]*V[j, e] }",
          head + "Y: f32 { T[i] max= Z[i, j]\nW[i, j] = exp(Z[i, j] - T[i])/S[i]\nY[j] += W[i, j]*S[i] }"})
        EXPECT_EQ(deferred_equations(text), "nothing") << text;
}

TEST(Deferred, ComputesWhatTheQuotientsDo) {
    std::vector<Settings> sizes;
    for (const int m : {0, 1, 16, 33})
        for (const int e : {1, 7, 40}) sizes.push_back({{"L", 9}, {"M", m}, {"E", e}});
    expect_as_interpreted_on_all_legs("kernel k(Z: f32[L, M], V: f32[M, E]) -> Y: f32[L, E] { " + softmax +
                                          "W[i, j] = P[i, j]/S[i]\nY[i, e] += W[i, j]*V[j, e] }",
                                      sizes);
}

}  // namespace
}  // namespace halogen
