// Places that count what was selected before need no look at the data.

#include "frontend/lower/lower.h"
#include "tests/schedule/run_compiled.h"

#include <gtest/gtest.h>

#include <string>

namespace halogen {
namespace {

/// The conditions on data that are left.
std::size_t checks_of(const std::string& text) {
    const Kernel kernel = parse(text).value().kernels.at(0);
    const auto checks = lower_checks(kernel, solve_open(kernel, {}));
    return checks ? checks->checks.size() : 0;
}

const std::string with_itself = "P[0] = K[0]; P[i] = P[i - 1] + K[i] where i in 1:N; ",
                  before = "P[0] = 0; P[i] = P[i - 1] + K[i - 1] where i in 1:N; ";
std::string compacted(const std::string& equations) {
    return "kernel k(X: f32[N], t: f32) -> Y: f32[N] { " + equations + " }";
}

TEST(RunningCounts, OfTheEquationsOwnPredicateNeverMeetAndLieInside) {
    const std::string count = "K[i] = i32(X[i] > t); ";
    for (const std::string& text :
         {compacted(count + with_itself + "Y[P[i] - 1] = X[i] where X[i] > t"),
          compacted(count + with_itself + "Y[P[n] - 1] = X[n] where K[n] == 1, X[n] > 0"),
          compacted(count + before + "Y[P[i]] = X[i] where X[i] > t"),
          compacted(count + before + "Y[P[i]] = X[i] where K[i] > 0"),
          compacted("P[0] = i32(X[0] > t); P[i + 1] = i32(X[i + 1] > t) + P[i] where i in 0:N - 1; "
                    "Y[P[i] - 1] = X[i] where X[i] > t"),
          compacted("K[i] = select(X[i] > t and i > 2, 1, 0); " + with_itself +
                    "Y[P[i] - 1] = X[i] where X[i] > t and i > 2"),
          compacted("B[i] = X[i] > t; K[i] = i32(B[i]); " + with_itself + "Y[P[i] - 1] = X[i] where B[i]")}) {
        EXPECT_EQ(checks_of(text), 0U) << text;
        for (const int n : {1, 5, 40}) expect_as_interpreted(text, {{"N", n}});
    }
    const std::string rows =
        "kernel k(X: f32[M, N, C], t: f32) -> Y: f32[M, N, C] { K[m, i] = i32(X[m, i, 0] > t); P[m, 0] = K[m, 0]; "
        "P[m, i] = P[m, i - 1] + K[m, i] where i in 1:N; Y[m, P[m, i] - 1, c] = X[m, i, c] where K[m, i] != 0 }";
    EXPECT_EQ(checks_of(rows), 0U);
    expect_as_interpreted(rows, {{"M", 4}, {"N", 9}, {"C", 3}});
}

TEST(RunningCounts, OtherCountsAreLookedAt) {
    const std::string count = "K[i] = i32(X[i] > t); ";
    const std::string rows =
        "K[m, i] = i32(X[m, i] > t); P[m, 0] = K[m, 0]; P[m, i] = P[m, i - 1] + K[m, i] where i in 1:N";
    for (const std::string& text :
         {"kernel k(X: f32[N, C], t: f32) -> Y: f32[N, C] { K[i] = i32(X[i, 0] > t); " + with_itself +
              "Y[P[i] - 1, c/2] = X[i, c] where X[i, 0] > t }",  // two points of each of them
          "kernel k(X: f32[M, N], t: f32) -> Y: f32[M, N] { " + rows +
              ", m in 0:2; "
              "Y[m, P[m, i] - 1] = X[m, i] where X[m, i] > t }",  // of some rows
          "kernel k(X: f32[N], Z: f32[N], t: f32) -> Y: f32[N] { B[i] = X[i]; K[i] = i32(B[i] > t); " + with_itself +
              "B[i] += Z[i]; Y[P[i] - 1] = X[i] where B[i] > t }"})  // of what was there before
        EXPECT_EQ(checks_of(text), 2U) << text;
    const std::string shorter = "kernel k(X: f32[N], M: size, t: f32) -> Y: f32[M] { " + count + with_itself +
                                "Y[P[i] - 1] = X[i] where X[i] > t }";
    EXPECT_EQ(checks_of(shorter), 1U) << "may run over, but never meets";
    for (const std::string& text :
         {compacted(count + with_itself + "Y[P[i] - 1] = X[i]"),                  // of all points
          compacted(count + with_itself + "Y[P[i] - 1] = X[i] where X[i] >= t"),  // of others
          compacted(count + with_itself + "Y[P[i] - 1] = X[i] where X[i] > t or i > 2"),
          compacted(count + with_itself + "Y[P[i]] = X[i] where X[i] > t"),  // the last one may lie outside
          compacted(count + before + "Y[P[i] - 1] = X[i] where X[i] > t"),   // the first one does
          compacted(count + with_itself + "Y[P[N - 1 - i] - 1] = X[i] where X[N - 1 - i] > t"),
          compacted("K[i] = 2*i32(X[i] > t); " + with_itself + "Y[P[i] - 1] = X[i] where X[i] > t"),
          compacted("K[i] = u8(X[i] > t); " + with_itself + "Y[P[i] - 1] = X[i] where X[i] > t"),  // which wraps
          compacted(count + "P[0] = K[0]; P[i] = P[i - 1] + K[i] where i in 2:N; Y[P[i] - 1] = X[i] where X[i] > t"),
          compacted(count + "P[0] = 1; P[i] = P[i - 1] + K[i] where i in 1:N; Y[P[i] - 1] = X[i] where X[i] > t"),
          compacted(count +
                    "P[0] = K[0]; P[i] = P[i - 1] + K[i - 1] where i in 1:N; Y[P[i] - 1] = X[i] where X[i] > t")})
        EXPECT_EQ(checks_of(text), 2U) << text;
}

}  // namespace
}  // namespace halogen
