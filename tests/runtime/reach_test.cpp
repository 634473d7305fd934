// Compiled kernels have no bounds checks of their own where the guards are proved to do: no call that would leave a tensor
// reaches the compiled code.

#include "halogen/kernels/conv.h"
#include "halogen/kernels/take.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

namespace halogen {
namespace {

int reached = 0;
int count_call(void**) {
    reached++;
    return 0;
}

/// `info` with one leg and no variants, which counts its calls and computes nothing.
detail::KernelInfo counting(detail::KernelInfo info) {
    static const detail::LegInfo leg{cpu::Leg::sse41, false, &count_call, nullptr};
    info.legs = &leg;
    info.leg_count = 1;
    info.variant_count = 0;
    return info;
}

struct Convolution {
    std::array<std::int64_t, 4> x, f, y;
    std::int64_t t, d, p;

    /// Every place of every point of the equation, one by one.
    bool stays_inside() const {
        const auto axis = [&](std::int64_t out, std::int64_t window, std::int64_t in) {
            for (std::int64_t i = 0; i < out; i++)
                for (std::int64_t r = 0; r < window; r++)
                    if (t * i + d * r - p < -p || t * i + d * r - p >= in + p) return false;
            return true;
        };
        const bool empty = y[0] * y[1] * y[2] * y[3] * f[0] * f[1] * f[2] == 0;
        return empty ||
               (y[0] <= x[0] && f[2] <= x[3] && y[3] <= f[3] && axis(y[1], f[0], x[1]) && axis(y[2], f[1], x[2]));
    }
};

TEST(Reach, OnlyCallsThatStayInsideGetToTheCompiledCode) {
    const char* given = std::getenv("HALOGEN_SEED");
    const unsigned seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
    std::cout << "HALOGEN_SEED=" << seed << "\n";
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
        return static_cast<std::int64_t>(std::uniform_int_distribution<int>(low, high)(random));
    };
    std::vector<float> memory(3 * 8 * 8 * 8 * 8);
    const std::array<std::int64_t, 4> strides{512, 64, 8, 1};
    const detail::KernelInfo info = counting(kernels::conv_detail::info);
    reached = 0;
    int refused = 0;
    for (int i = 0; i < 20000; i++) {
        Convolution c{{between(0, 2), between(0, 7), between(0, 7), between(0, 2)},
                      {},
                      {},
                      between(0, 3),
                      between(0, 2),
                      between(-1, 2)};
        c.f = {between(0, 3), between(0, 3), between(0, 9) ? c.x[3] : between(0, 2), between(0, 2)};
        const auto out = [&](std::int64_t in, std::int64_t window) {
            const auto fits = c.t > 0 ? (in + 2 * c.p - c.d * (window - 1) - 1) / c.t + 1 : 1;
            return between(0, 3) && fits >= 0 ? fits : between(0, 7);
        };
        c.y = {between(0, 9) ? c.x[0] : between(0, 2), out(c.x[1], c.f[0]), out(c.x[2], c.f[1]),
               between(0, 9) ? c.f[3] : between(0, 2)};
        const auto buffer = [&](const std::array<std::int64_t, 4>& extents, int part) {
            return Buffer{memory.data() + part * 8 * 8 * 8 * 8, extents.data(), strides.data()};
        };
        const int before = reached;
        const Status st =
            detail::run<12, 3, 3, 0>(info, {buffer(c.x, 0), buffer(c.f, 1), buffer(c.y, 2)}, {c.t, c.d, c.p}, {}, {});
        EXPECT_EQ(before == reached, !st || c.y[0] * c.y[1] * c.y[2] * c.y[3] == 0);
        refused += !st;
        if (before != reached) {
            ASSERT_TRUE(c.stays_inside()) << "call " << i;
        }
    }
    EXPECT_GT(reached, 1000);
    EXPECT_GT(refused, 1000);
}

TEST(Reach, BadDataIsRefusedBeforeTheCompiledCode) {  // Table[2*Row[m, 1] + Shift]
    const std::vector<std::int16_t> table(10);
    std::vector<std::int64_t> rows(2 * 3);
    std::vector<std::int16_t> y(3);
    for (int bad = -2; bad < 7; bad++) {
        rows[5] = bad;
        const auto call = [&] { return kernels::take(table, view(rows.data(), {3, 2}), y, {.Shift = 1}); };
        EXPECT_EQ(static_cast<bool>(call()), bad >= 0 && 2 * bad + 1 < 10) << bad;
    }
}

}  // namespace
}  // namespace halogen
