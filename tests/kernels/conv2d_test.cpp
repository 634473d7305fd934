// Against one product of matrices per tap and row of the padded image, in double.
#include "halogen/kernels/conv2d.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/windows.h"

namespace halogen::testing {
namespace {

auto call(const Steps& t) {
    return [t](auto... v) { return kernels::conv2d(v..., {.T = t.T, .D = t.D, .P = t.P}); };
}

Expected<float, 4> reference(const Array<float, 4>& x, const Array<float, 4>& f, const Steps& t) {
    const auto [N, H, W, C] = x.extents;
    const auto [R, S, same_c, K] = f.extents;
    return sum_of_products(
        R * S * C, {N, t.windows(H, R), t.windows(W, S), K},
        [&](auto& y, const auto& xs, const auto& fs) { convolve(y, xs, fs, t, t.P); }, x, f);
}

TEST(Kernel, Conv2dGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<5>({1, 5, 6, 3, 4}, 65, 20, 17), [&](auto N, auto H, auto W, auto C, auto K) {
        const Steps t{1, 1, 1};
        const auto x = random.whole({N, H, W, C}), f = random.whole({3, 3, C, K});
        if (H > 0 && W > 0) check(call(t), exactly(reference(x, f, t)), x, f);
    });
}

TEST(Kernel, Conv2dGivesEigensWholeNumbersForEveryStrideDilationAndPadding) {
    Random random;
    const std::vector<Steps> all_steps = {{1, 1, 0}, {2, 1, 0}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 2, 1}, {4, 3, 5}};
    for (const Steps& t : all_steps) {
        for (auto [R, S] : {std::pair{1, 1}, {2, 3}, {3, 2}, {5, 5}}) {
            const std::int64_t H = random.integer(9, 30), W = random.integer(13, 40);
            const auto x = random.whole({2, H, W, 5}), f = random.whole({R, S, 5, 17});
            check(call(t), exactly(reference(x, f, t)), x, f);
            if (HasFailure()) return;
        }
    }
}

TEST(Kernel, Conv2dIsWithinTheBoundOfItsSums) {
    Random random;
    for (const Steps& t : {Steps{1, 1, 1}, Steps{2, 1, 1}, Steps{1, 1, 0}}) {
        const auto x = random.reals({1, 14, 15, 37}), f = random.reals({3, 3, 37, 65});
        check(call(t), reference(x, f, t), x, f);
    }
}

TEST(Kernel, Conv2dGivesEigensWholeNumbersOfLongSumsOnOneThreadAndMore) {  // filters read in place, and in panels
    Random random;
    const Steps t{1, 1, 1};
    const auto on_one_thread = [t](auto... v) {
        return kernels::conv2d(v..., {.T = t.T, .D = t.D, .P = t.P, .threads = 1});
    };
    for (int pool : {1, 2}) {
        halide_set_num_threads(pool);
        for (auto [C, K] : {std::pair{260, 63}, {260, 64}, {384, 65}, {260, 128}, {301, 150}, {257, 520}}) {
            const auto x = random.whole({1, 2, 8, C}), f = random.whole({3, 3, C, K});
            check(on_one_thread, exactly(reference(x, f, t)), x, f);
            if (HasFailure()) return;
        }
    }
}

TEST(Kernel, Conv2dOfPaddingAloneIsZero) {  // no rows: (0 + 2*2 - 3)/1 + 1 = 2 rows of windows that see zeros
    const Steps t{1, 1, 2};
    const Array<float, 4> x({1, 0, 5, 3}), f({3, 3, 3, 17}, 1);
    check(call(t), exactly(reference(x, f, t)), x, f);
}

TEST(Kernel, Conv2dRefusesAnImageSmallerThanItsFilter) {  // (4 - 5)/1 + 1 = 0 windows
    Random random;
    const auto x = random.whole({1, 4, 9, 2}), f = random.whole({5, 3, 2, 3});
    refuses(call({}), StatusCode::size, Array<float, 4>({1, 1, 7, 3}), x, f);
}

}  // namespace
}  // namespace halogen::testing
