// Emitted headers against the solver: the same numbers for random sizes, nothing exactly where the solver gives none, and
// usable in constant expressions.

#include "frontend/solve/access_form.h"
#include "frontend/solve/solve.h"
#include "tests/solve/emitted_kernels.h"
#include "tests/solve/seed.h"

#include "cases_sizes.h"
#include "conv2d_sizes.h"
#include "extremes_sizes.h"
#include "halves_sizes.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using Numbers = std::optional<std::map<std::string, std::int64_t>>;

/// What the header computes, by the names of the solver.
Numbers emitted(const conv2d_sizes::Sizes& s) {
    const auto all = conv2d_sizes::solve(s);
    if (!all) return std::nullopt;
    return std::map<std::string, std::int64_t>{
        {"OH", all->OH},
        {"OW", all->OW},
        {"Y.1", all->Y_1},
        {"offset", all->access1_offset},
        {"stride y", all->access1_stride_y},
        {"stride r", all->access1_stride_r},
        {"stride c", all->access1_stride_c},
    };
}

constexpr int rounds = 10'000;

TEST(EmittedHeader, Conv2dAgreesWithTheSolverOn10000RandomBindings) {
    const Kernel kernel = parse(test::emitted_kernels[0]).value().kernels[0];
    test::Dice dice(test::seed_of_run());
    int legal = 0;
    for (int i = 0; i < rounds; ++i) {
        const auto large = [&] { return dice.between(1, dice.chance(20) ? 4000 : 40); };
        const conv2d_sizes::Sizes s{large(),
                                    large(),
                                    large(),
                                    large(),
                                    dice.between(1, 11),
                                    dice.between(1, 11),
                                    large(),
                                    dice.between(0, 4),
                                    dice.between(0, 4),
                                    dice.between(0, 5)};
        const Settings known{{"N", s.N}, {"H", s.H}, {"W", s.W}, {"C", s.C}, {"R", s.R},
                             {"S", s.S}, {"K", s.K}, {"T", s.T}, {"D", s.D}, {"P", s.P}};
        const auto solved = solve(kernel, known);
        const Numbers numbers = emitted(s);
        ASSERT_EQ(numbers.has_value(), static_cast<bool>(solved)) << (solved ? "" : solved.error().what);
        ASSERT_EQ(conv2d_sizes::broken(s) == nullptr, numbers.has_value());
        if (!numbers) continue;
        ++legal;
        const Solution& solution = solved.value();
        EXPECT_EQ(numbers->at("OH"), solution.sizes.at("OH").constant());
        EXPECT_EQ(numbers->at("OW"), solution.sizes.at("OW").constant());
        EXPECT_EQ(numbers->at("Y.1"), solution.extents.at("Y")[1].constant());
        const AccessForm x = access_forms(kernel, solution).at(1);
        EXPECT_EQ(numbers->at("offset"), x.offset.constant());
        const auto stride = [&](const char* index) {
            const auto at = x.strides.find(index);
            return at == x.strides.end() ? 0 : *at->second.constant();
        };
        EXPECT_EQ(numbers->at("stride y"), stride("y"));
        EXPECT_EQ(numbers->at("stride r"), stride("r"));
        EXPECT_EQ(numbers->at("stride c"), stride("c"));
    }
    std::cout << rounds << " bindings, " << legal << " of them legal\n";
    EXPECT_GT(legal, rounds / 4);
}

TEST(EmittedHeader, QuotientsAndExtremesAgreeWithTheSolver) {
    const Kernel halves = parse(test::emitted_kernels[1]).value().kernels[0];
    const Kernel extremes = parse(test::emitted_kernels[2]).value().kernels[0];
    test::Dice dice(test::seed_of_run(2));
    for (int i = 0; i < rounds; ++i) {
        const std::int64_t a = dice.between(1, 30), b = dice.between(1, 30), stride = dice.between(0, 3);
        const auto h = solve(halves, {{"X.0", a}, {"S", stride}});
        const auto emitted_h = halves_sizes::solve({.S = stride, .X_0 = a});
        ASSERT_EQ(emitted_h.has_value(), static_cast<bool>(h)) << a << " " << stride;
        if (h) {
            EXPECT_EQ(emitted_h->N, h.value().sizes.at("N").constant());
        }
        const auto e = solve(extremes, {{"A", a}, {"B", b}});
        const auto emitted_e = extremes_sizes::solve({a, b});
        ASSERT_TRUE(e && emitted_e);
        EXPECT_EQ(emitted_e->Z_0, std::max(a, b));
        EXPECT_EQ(emitted_e->Z_1, std::min(a, b));
    }
}

/// Bounds that hold in some cases alone: X below 4 elements, K above 0.
TEST(EmittedHeader, BoundsOfSomeCasesAgreeWithTheSolver) {
    const Kernel kernel = parse(test::emitted_kernels[3]).value().kernels[0];
    test::Dice dice(test::seed_of_run(4));
    int legal = 0;
    for (int i = 0; i < 500; ++i) {
        cases_sizes::Sizes s{};
        s.A = dice.between(0, 6), s.B = dice.between(0, 9), s.C = dice.between(0, 9), s.K = dice.between(0, 3);
        const auto solved = solve(kernel, {{"A", s.A}, {"B", s.B}, {"C", s.C}, {"K", s.K}});
        const auto numbers = cases_sizes::solve(s);
        ASSERT_EQ(numbers.has_value(), static_cast<bool>(solved))
            << "A " << s.A << " B " << s.B << " C " << s.C << " K " << s.K << (solved ? "" : solved.error().what);
        if (!numbers) continue;
        ++legal;
        EXPECT_EQ(numbers->Y_0, solved.value().extents.at("Y")[0].constant());
    }
    EXPECT_GT(legal, 100);
}

/// The one value of `field` up to 60 with which OH and OW are as they are in `s`; nothing when several do.
std::optional<std::int64_t> only(conv2d_sizes::Sizes s, std::int64_t conv2d_sizes::Sizes::* field, std::int64_t from,
                                 bool height, bool width) {
    const auto oh = conv2d_sizes::OH(s), ow = conv2d_sizes::OW(s);
    std::optional<std::int64_t> found;
    for (s.*field = from; s.*field <= 60; ++(s.*field)) {
        if ((height && conv2d_sizes::OH(s) != oh) || (width && conv2d_sizes::OW(s) != ow)) continue;
        if (found) return std::nullopt;
        found = s.*field;
    }
    return found;
}

TEST(EmittedHeader, SizesBackwardsAreThoseThatTryingAllFinds) {
    using conv2d_sizes::Sizes;
    test::Dice dice(test::seed_of_run(3));
    int unique = 0;
    for (int i = 0; i < 3000; ++i) {
        Sizes s{1,
                dice.between(1, 40),
                dice.between(1, 40),
                1,
                dice.between(1, 7),
                dice.between(1, 7),
                1,
                dice.between(1, 4),
                dice.between(1, 3),
                dice.between(0, 4)};
        if (conv2d_sizes::broken(s)) continue;
        const std::int64_t oh = *conv2d_sizes::OH(s), ow = *conv2d_sizes::OW(s);
        SCOPED_TRACE(testing::Message() << "H " << s.H << " W " << s.W << " R " << s.R << " S " << s.S << " T " << s.T
                                        << " D " << s.D << " P " << s.P);
        const auto least = conv2d_sizes::least_H(s, oh);
        ASSERT_TRUE(least);
        Sizes at = s;
        at.H = *least;
        EXPECT_EQ(conv2d_sizes::OH(at), oh);
        at.H = *least - 1;
        EXPECT_TRUE(*least == 1 || conv2d_sizes::OH(at) != oh);
        EXPECT_EQ(conv2d_sizes::only_R(s, oh), only(s, &Sizes::R, 0, true, false));
        EXPECT_EQ(conv2d_sizes::only_S(s, ow), only(s, &Sizes::S, 0, false, true));
        EXPECT_EQ(conv2d_sizes::only_P(s, oh, ow), only(s, &Sizes::P, 0, true, true));
        if (s.R > 1 && s.S > 1) {
            EXPECT_EQ(conv2d_sizes::only_D(s, oh, ow), only(s, &Sizes::D, 0, true, true));
        }
        if (oh > 1 && ow > 1) {
            EXPECT_EQ(conv2d_sizes::only_T(s, oh, ow), only(s, &Sizes::T, 1, true, true));
        }
        unique += conv2d_sizes::only_T(s, oh, ow).has_value();
    }
    EXPECT_GT(unique, 300);
    EXPECT_FALSE(conv2d_sizes::least_H({1, 0, 9, 1, 3, 3, 1, 2, 1, 4}, 2));  // P = 4: one row gives 4 already
}

TEST(EmittedHeader, WorksInConstantExpressions) {  // (224 + 2*3 - 7)/2 + 1
    constexpr conv2d_sizes::Sizes s{1, 224, 224, 3, 7, 7, 64, 2, 1, 3};
    static_assert(conv2d_sizes::OH(s) == 112);
    static_assert(conv2d_sizes::solve(s)->access1_stride_y == 2 * 224 * 3);
    static_assert(conv2d_sizes::broken(s) == nullptr);
}

TEST(EmittedHeader, NumbersPast2To62AreNothing) {
    const std::int64_t large = std::int64_t{1} << 61;
    const conv2d_sizes::Sizes s{1, large, large, 3, 7, 7, 64, 1, 1, 0};
    EXPECT_EQ(conv2d_sizes::OH(s), large - 6);
    EXPECT_FALSE(conv2d_sizes::access1_stride_n(s));  // 3*2^122
    EXPECT_FALSE(conv2d_sizes::solve(s));
    EXPECT_STREQ(conv2d_sizes::broken({1, 3, 9, 1, 5, 3, 1, 1, 1, 0}),
                 "D*(R - 1) + 1 <= H + 2*P: `OH` is at least 1, from X[n, T*y + D*r - P, T*x + D*s - P, c]");
}

}  // namespace
}  // namespace halogen
