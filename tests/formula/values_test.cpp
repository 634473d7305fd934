// Formulas at numbers, and with formulas put in for symbols.

#include "frontend/formula/formula.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

const Formula H = Formula::symbol("H"), T = Formula::symbol("T"), W = Formula::symbol("W");

TEST(Values, AreExactUpTo2To62) {
    const std::int64_t large = std::int64_t{1} << 61;
    EXPECT_EQ(evaluate(2 * H, {{"H", large}}), large * 2);
    EXPECT_EQ(evaluate(floor_div(H * W, W), {{"H", large}, {"W", large}}), large);  // 2^122 inside
    EXPECT_EQ(evaluate(floor_div(-H, 2), {{"H", 5}}), -3);
    EXPECT_EQ(evaluate(remainder(-H, 4), {{"H", 5}}), 3);
}

TEST(Values, ThatDoNotExistAreErrors) {
    const auto error = [](auto&& body) {
        try {
            body();
        } catch (const Failure& f) {
            return format(f.error(), "-e");
        }
        return std::string("no error");
    };
    EXPECT_EQ(error([] { evaluate(H, {}); }), "-e: `H` has no value\n  fix  set it: --set H=INT");
    EXPECT_EQ(error([] { evaluate(floor_div(H, T), {{"H", 3}, {"T", 0}}); }),
              "-e: the divisor `T` is 0\n  fix  a divisor must be at least 1");
    EXPECT_EQ(error([] { evaluate(4 * H, {{"H", std::int64_t{1} << 61}}); }),
              "-e: the size 9223372036854775808 is past 2^62\n  fix  use smaller sizes");
    EXPECT_EQ(error([] {
                  Formula f = H * (std::int64_t{1} << 40);
                  f = f * (std::int64_t{1} << 40);
              }),
              "-e: the number 1208925819614629174706176 leaves 64 bits\n  fix  use smaller sizes");
}

TEST(Values, PutInForSymbolsSimplify) {
    const Formula f = floor_div(H - W, T) + max(H, W);
    EXPECT_EQ(f.substitute({{"H", T * W + W}}), W + max(T * W + W, W));
    EXPECT_EQ(f.substitute({{"H", W}}), W);
    EXPECT_EQ(f.substitute({{"N", 3}}), f);
}

TEST(Values, PutInAtOnceDoNotMeetEachOther) { EXPECT_EQ((H - W).substitute({{"H", W}, {"W", H}}), W - H); }

TEST(Values, OfSharedPartsAreFoundOnce) {  // written out, the formula has 2^60 parts
    Formula f = H;
    for (int i = 0; i < 60; ++i) f = min(floor_div(f, 2) + W, remainder(f, T) + W + H);
    EXPECT_EQ(evaluate(f, {{"H", 0}, {"W", 0}, {"T", 5}}), 0);
    EXPECT_EQ(f.substitute({{"H", 0}, {"W", 0}, {"T", 5}}), Formula(0));
}

}  // namespace
}  // namespace halogen
