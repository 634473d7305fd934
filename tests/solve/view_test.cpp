// Views: composed maps, what is zero-copy and what needs a copy, and maps turned round.

#include "frontend/view.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

namespace halogen {
namespace {

std::string view(const std::string& text, const Settings& known = {}, std::size_t which = 0) {
    const auto all = views(test::kernel_of(text), test::solved(text, known));
    return which < all.size() ? print(all[which]) : "no view";
}

TEST(View, WindowsAndSlicesAreStrided) {
    EXPECT_EQ(view("V[y, r] = X[2*y + r + 1]; Y[y] += V[y, r]*W[r]"),
              "V = as_strided(X, shape [(X.0 - W.0 + 1)/2, W.0], strides [2, 1], offset 1)");
    EXPECT_EQ(view("U[x] = X[3*x + 1]; V[y, r] = U[2*y + r]; Y[y] += V[y, r]*W[r]", {{"X.0", 40}, {"W.0", 3}}, 1),
              "V = as_strided(X, shape [6, 3], strides [6, 3], offset 1)");
}

TEST(View, FlipsAndTransposesAndBroadcastsAreStrided) {
    EXPECT_EQ(view("Y[i] = X[X.0 - 1 - i]"), "Y = as_strided(X, shape [X.0], strides [-1], offset X.0 - 1)");
    EXPECT_EQ(view("Y[j, i] = X[i, j]"), "Y = as_strided(X, shape [X.1, X.0], strides [1, X.1], offset 0)");
    EXPECT_EQ(view("kernel b(X: f32[N]) -> Y: f32[M, N] { Y[m, n] = X[n] }"),
              "Y = as_strided(X, shape [M, N], strides [0, 1], offset 0)");
    EXPECT_EQ(view("Y[i] = A[i, i]"), "Y = as_strided(A, shape [A.0], strides [A.0 + 1], offset 0)");
}

TEST(View, ReshapingIsStridedThoughItsPlacesAreQuotients) {
    EXPECT_EQ(view("kernel r(X: f32[A, B]) -> Y: f32[A*B] { Y[k] = X[k/B, k % B] }"),
              "Y = as_strided(X, shape [A*B], strides [1], offset 0)");
    EXPECT_EQ(view("kernel s(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }"),
              "Y = as_strided(X, shape [N/M, M], strides [M, 1], offset 0)");
}

TEST(View, WhatNeedsACopySaysWhy) {
    EXPECT_EQ(view("Y[i] = X[i/2]"),
              "Y needs a copy of X: its address is no sum of strides times indices: a quotient or remainder stays");
    EXPECT_EQ(view("kernel p(X: f32[N pad 1] else 0) -> Y: f32[N + 2] { Y[i] = X[i - 1] }"),
              "Y needs a copy of X: X[i - 1] reads the padding of dim 0 of `X`");
    EXPECT_EQ(view("kernel g(X: f32[N], I: i32[M]) -> Y: f32[M] { Y[m] = X[I[m]] }"), "no view");
}

TEST(View, InverseMapsAreDigits) {
    const Formula A = Formula::symbol("A"), B = Formula::symbol("B");
    const auto inverse_of = [](const AddressMap& map) {
        const auto digits = inverse(map, "a");
        std::string text;
        if (digits) {
            for (const auto& [index, f] : *digits) text += (text.empty() ? "" : ", ") + index + " = " + print(f);
        }
        return digits ? text : "none";
    };
    EXPECT_EQ(inverse_of({0, {{"i", B}, {"j", 1}}, {{"i", A}, {"j", B}}}), "i = a/B, j = a % B");
    EXPECT_EQ(inverse_of({5, {{"i", -1}}, {{"i", 6}}}), "i = 5 - a");
    EXPECT_EQ(inverse_of({0, {{"i", 4}, {"j", 1}}, {{"i", 3}, {"j", 3}}}), "none");  // a hole behind each row
}

/// Points to addresses and back, for random orders, extents and directions.
TEST(View, InverseMapsUndoTheirMaps) {
    test::Dice dice(test::seed_of_run());
    for (int round = 0; round < 500; ++round) {
        AddressMap map;
        std::vector<std::string> names{"i", "j", "k", "l"};
        std::shuffle(names.begin(), names.end(), dice.engine());
        std::int64_t step = 1, offset = dice.between(0, 3);
        for (const auto& n : names) {
            const int extent = dice.between(1, 4);
            const bool falls = dice.chance(40);
            map.extents[n] = extent;
            map.strides[n] = falls ? -step : step;
            if (falls) offset += step * (extent - 1);
            step *= extent;
        }
        map.offset = offset;
        const auto digits = inverse(map, "a");
        ASSERT_TRUE(digits);
        for (int point = 0; point < 20; ++point) {
            Bindings at;
            std::int64_t address = offset;
            for (const auto& n : names) {
                at[n] = dice.between(0, static_cast<int>(*map.extents[n].constant()) - 1);
                address += at[n] * *map.strides[n].constant();
            }
            for (const auto& n : names) ASSERT_EQ(evaluate(digits->at(n), {{"a", address}}), at[n]);
        }
    }
}

}  // namespace
}  // namespace halogen
