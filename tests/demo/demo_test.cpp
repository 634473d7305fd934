#include "examples/demo/html.h"
#include "examples/demo/solved.h"
#include "examples/demo/words.h"
#include "examples/demo/work/agreement.h"
#include "examples/demo/work/halves.h"
#include "examples/demo/work/picture.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace halogen::demo {
namespace {

TEST(Demo, Base64IsThatOfRfc4648) {
    const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                        {"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {"foob", "Zm9vYg=="},
                                                        {"foobar", "Zm9vYmFy"},
                                                        {"\xff\xfe", "//4="}};
    for (const auto& [bytes, text] : rows) EXPECT_EQ(base64(bytes), text);
}

TEST(Demo, TextForHtmlHasNoMarks) {
    EXPECT_EQ(escaped("a < b && \"c\" > d"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
}

TEST(Demo, ATemplateIsFilledByNameAndForgetsNothing) {
    EXPECT_EQ(filled("p { x }} {{b}}, {{a}}, {{b}}", {{"a", "1"}, {"b", "{{2}}"}}), "p { x }} {{2}}, 1, {{2}}");
    EXPECT_THROW(filled("{{c}}", {{"a", "1"}}), std::logic_error);
}

TEST(Demo, TimesHaveThreeDigits) {
    const std::pair<double, const char*> rows[] = {{12.34, "12.3 ns"},   {999.7, "1.00 us"}, {91264, "91.3 us"},
                                                   {8.719e6, "8.72 ms"}, {562e3, "562 us"},  {2.69e10, "26.9 s"}};
    for (const auto& [ns, text] : rows) EXPECT_EQ(time_text(ns), text);
}

TEST(Demo, SpeedIsToldInOperationsWhereTheyOutweighTheTraffic) {
    Call call;
    call.bytes = 100;
    call.flops = 1000;
    EXPECT_EQ(speed_text(call, 10), "100 GFLOP/s");  // 1000 operations in 10 ns
    call.flops = 300;
    EXPECT_EQ(speed_text(call, 10), "10.0 GB/s");  // 100 bytes in 10 ns
}

TEST(Demo, ABoundHoldsForEveryElementAndForNoNaN) {
    Array<float, 1> got({4}), expected({4});
    for (int i = 0; i < 4; i++) got(i) = expected(i) = static_cast<float>(i);
    got(1) += 0.5f;   // half of its bound
    got(3) += 0.25f;  // beyond its bound, by 0.05
    const auto bound = [](std::int64_t i) { return i == 1 ? 1.0 : 0.2; };
    Agreement a = compare(got, expected, bound);
    EXPECT_EQ(a.outside, 1);
    EXPECT_EQ(a.difference, 0.5);
    EXPECT_EQ(a.bound, 1.0);
    EXPECT_DOUBLE_EQ(a.share, 1.25);
    got(3) = 3;
    a = compare(got, expected, bound);
    EXPECT_EQ(a.outside, 0);
    EXPECT_DOUBLE_EQ(a.share, 0.5);
    got(0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(compare(got, expected, bound).outside, 1);
}

TEST(Demo, ASolvedCallPutsItsNumbersIntoTheFormulas) {
    Call call;
    call.kernel = "matmul";
    call.operands = {{"A", {5, 7}, {7, 1}}, {"B", {7, 3}, {3, 1}}, {"C", {5, 3}, {3, 1}}};
    const Solved solved = solve_call(call);
    ASSERT_EQ(solved.equations.size(), 1u);
    const AccessFact& b = solved.equations[0].accesses.back();
    EXPECT_EQ(b.text, "B[k, j]");
    EXPECT_EQ(b.strides, (std::vector<std::int64_t>{0, 1, 3}));  // i, j, k
    EXPECT_EQ(b.formulas, (std::vector<std::string>{"0", "1", "N"}));
    ASSERT_EQ(solved.sizes.size(), 3u);
    EXPECT_EQ(solved.sizes[1].formula, "dim 1 of A");
    EXPECT_EQ(solved.sizes[1].value, 7);
    EXPECT_TRUE(solved.guards.empty());
}

TEST(Demo, TwoThreadsComputeEveryRowOnce) {
    for (const int threads : {1, 2}) {
        for (int repeat = 0; repeat < 1000; repeat++) {
            std::int64_t sums[2] = {0, 0};
            run_rows(
                [&](std::int64_t begin, std::int64_t end, int part) {
                    for (auto i = begin; i < end; i++) sums[part] += i;
                },
                101, threads);
            ASSERT_EQ(sums[0] + sums[1], 5050);              // 0 + 1 + … + 100
            ASSERT_EQ(sums[0], threads == 1 ? 5050 : 1225);  // 0 + … + 49
        }
    }
}

TEST(Demo, PicturesAreCutWhereTheyLeaveTheOther) {
    Picture whole(2, 3), part(2, 2, {1, 2, 3});
    whole.paste(1, -1, part);
    EXPECT_EQ(whole.at(1, 0)[2], 3);
    EXPECT_EQ(whole.at(0, 0)[2], 0);
    EXPECT_EQ(whole.at(1, 1)[2], 0);
    EXPECT_EQ(to_sample(-4.0), 0);
    EXPECT_EQ(to_sample(254.6), 255);
    EXPECT_EQ(to_sample(300.0), 255);
}

}  // namespace
}  // namespace halogen::demo
