// Against one product per tap, channel by channel, of the padded image, in double.
#include "halogen/kernels/depthwise_conv2d.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/windows.h"

namespace halogen::testing {
namespace {

auto call(const Steps& t) {
    return [t](auto... v) { return kernels::depthwise_conv2d(v..., {.T = t.T, .D = t.D, .P = t.P}); };
}

Expected<float, 4> reference(const Array<float, 4>& x, const Array<float, 3>& f, const Steps& t) {
    const auto [N, H, W, C] = x.extents;
    const auto [R, S, same_c] = f.extents;
    return sum_of_products(
        R * S, {N, t.windows(H, R), t.windows(W, S), C},
        [&](auto& y, const auto& xs, const auto& fs) {
            for_each_tap(y, padded(xs, t.P, t.P, 0), fs.extents[0], fs.extents[1], t,
                         [&](auto& out, const auto& in, auto r, auto s) {
                             const Eigen::Map<const Vector> weights(fs.values.data() + fs.place(r, s, 0), in.cols());
                             out += in * weights.asDiagonal();
                         });
        },
        x, f);
}

TEST(Kernel, DepthwiseConv2dGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<4>({1, 5, 6, 4}, 131, 20, 33), [&](auto N, auto H, auto W, auto C) {
        const Steps t{1, 1, 1};
        const auto x = random.whole({N, H, W, C});
        const auto f = random.whole({3, 3, C});
        if (H > 0 && W > 0) check(call(t), exactly(reference(x, f, t)), x, f);
    });
}

TEST(Kernel, DepthwiseConv2dGivesEigensWholeNumbersForEveryStrideDilationAndPadding) {
    Random random;
    const std::vector<Steps> all_steps = {{1, 1, 0}, {2, 1, 0}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 2, 1}, {4, 3, 5}};
    for (const Steps& t : all_steps) {
        for (auto [R, S] : {std::pair{1, 1}, {2, 3}, {5, 5}}) {
            const auto x = random.whole({2, random.integer(9, 30), random.integer(13, 40), 19});
            const auto f = random.whole({R, S, 19});
            check(call(t), exactly(reference(x, f, t)), x, f);
            if (HasFailure()) return;
        }
    }
}

TEST(Kernel, DepthwiseConv2dIsWithinTheBoundOfItsSums) {
    Random random;
    const Steps t{2, 1, 2};
    const auto x = random.reals({1, 17, 23, 65});
    const auto f = random.reals({5, 5, 65});
    check(call(t), reference(x, f, t), x, f);
}

}  // namespace
}  // namespace halogen::testing
