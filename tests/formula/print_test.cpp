// Printed formulas: as a person would write them, whatever the order they were built in.

#include "frontend/formula/formula.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

const Formula H = Formula::symbol("H"), P = Formula::symbol("P"), D = Formula::symbol("D"), R = Formula::symbol("R"),
              T = Formula::symbol("T"), W = Formula::symbol("W"), C = Formula::symbol("C");

TEST(Print, IsAsAPersonWouldWriteIt) {
    const std::pair<Formula, std::string> rows[] = {
        {floor_div(H + 2 * P - D * (R - 1) - 1, T) + 1, "(H + 2*P - D*(R - 1) - 1)/T + 1"},
        {floor_div(H - 3, 2) + 1, "(H - 1)/2"},
        {1 - H, "1 - H"},
        {0, "0"},
        {-H, "-H"},
        {3 * floor_div(H, T) - H, "3*(H/T) - H"},
        {T * (H - 1) + R, "R + T*(H - 1)"},
        {remainder(H + 5, 4), "(H + 1) % 4"},
        {max(H, P) + 1, "max(H, P) + 1"},
        {C * H * W, "C*H*W"},
        {ceil_div(H, 4), "(H + 3)/4"},
        {floor_div(H * W, 2), "H*W/2"},
        {floor_div(-H, 2), "(-H)/2"},
        {-floor_div(H, 2), "-(H/2)"},
        {(H - R + 1) * (W - P + 1), "(H - R + 1)*(W - P + 1)"},
    };
    for (const auto& [f, text] : rows) EXPECT_EQ(print(f), text);
}

TEST(Print, GathersWhatStandsInMostTerms) {
    EXPECT_EQ(print(D * R - D), "D*(R - 1)");
    EXPECT_EQ(print(T * H * W + T * H + C), "C + H*T*(W + 1)");
}

TEST(Print, LeavesOutAnOperationOfManyAtoms) {
    Formula sum = H;
    for (int i = 0; i < 5000; ++i) sum = sum + Formula::symbol("N" + std::to_string(i));
    EXPECT_EQ(print(floor_div(sum, 2) + W), "W + (…)");
}

}  // namespace
}  // namespace halogen
