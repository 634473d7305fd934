// Against one product of matrices per tap and row of the padded image, in double, which holds these sums exactly.
#include "halogen/kernels/conv2d_u8.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/windows.h"

namespace halogen::testing {
namespace {

auto call(const Steps& t) {
    return [t](auto... v) { return kernels::conv2d_u8(v..., {.T = t.T, .D = t.D, .P = t.P}); };
}

using Pixels = Array<std::uint8_t, 4>;
using Weights = Array<std::int8_t, 4>;

Expected<std::int32_t, 4> reference(const Pixels& x, const Weights& f, const Steps& t) {
    const auto [N, H, W, C] = x.extents;
    const auto [R, S, same_c, K] = f.extents;
    Expected<std::int32_t, 4> y({N, t.windows(H, R), t.windows(W, S), K});
    convolve(y.value, cast<double>(x), cast<double>(f), t, t.P);
    return y;
}

TEST(Kernel, Conv2dU8GivesEigensSums) {
    Random random;
    each(shapes<5>({1, 5, 6, 3, 4}, 65, 20, 17), [&](auto N, auto H, auto W, auto C, auto K) {
        const Steps t{1, 1, 1};
        const auto x = random.whole<std::uint8_t>({N, H, W, C}, 0, 255);
        const auto f = random.whole<std::int8_t>({3, 3, C, K}, -128, 127);
        if (H > 0 && W > 0) check(call(t), reference(x, f, t), x, f);
    });
}

TEST(Kernel, Conv2dU8GivesEigensSumsForEveryStrideDilationAndPadding) {
    Random random;
    const std::vector<Steps> all_steps = {{1, 1, 0}, {2, 1, 0}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 2, 1}, {4, 3, 5}};
    for (const Steps& t : all_steps) {
        for (auto [R, S] : {std::pair{1, 1}, {2, 3}, {5, 5}}) {
            const std::int64_t H = random.integer(9, 20), W = random.integer(13, 30);
            const auto x = random.whole<std::uint8_t>({2, H, W, 5}, 0, 255);
            const auto f = random.whole<std::int8_t>({R, S, 5, 17}, -128, 127);
            check(call(t), reference(x, f, t), x, f);
            if (HasFailure()) return;
        }
    }
}

TEST(Kernel, Conv2dU8DoesNotSaturate) {  // 255 * -128 * 3*3*8 = -2350080; pairs of products leave 16 bits
    const Pixels x({1, 4, 5, 8}, 255);
    const Weights f({3, 3, 8, 16}, -128);
    check(call({}), reference(x, f, {}), x, f);
}

}  // namespace
}  // namespace halogen::testing
