// Against the 2-D convolution of an image of one row, in double.
#include "halogen/kernels/conv1d.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/windows.h"

namespace halogen::testing {
namespace {

auto call(const Steps& t) {
    return [t](auto... v) { return kernels::conv1d(v..., {.T = t.T, .D = t.D, .P = t.P}); };
}

/// The same values with a dim of extent 1 at place `at`.
Array<double, 4> with_one_row(const Array<double, 3>& a, std::size_t at) {
    Extents<4> extents;
    for (std::size_t d = 0, from = 0; d < 4; d++) extents[d] = d == at ? 1 : a.extents[from++];
    Array<double, 4> b(extents);
    b.values = a.values;
    return b;
}

Expected<float, 3> reference(const Array<float, 3>& x, const Array<float, 3>& f, const Steps& t) {
    const auto [N, W, C] = x.extents;
    const auto [R, same_c, K] = f.extents;
    return sum_of_products(
        R * C, {N, t.windows(W, R), K},
        [&](auto& y, const auto& xs, const auto& fs) {
            auto out = with_one_row(y, 1);
            convolve(out, with_one_row(xs, 1), with_one_row(fs, 0), t, 0);
            y.values = out.values;
        },
        x, f);
}

TEST(Kernel, Conv1dGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<4>({2, 9, 3, 4}, 131, 20, 33), [&](auto N, auto W, auto C, auto K) {
        const Steps t{1, 1, 1};
        const auto x = random.whole({N, W, C}), f = random.whole({3, C, K});
        if (W > 0) check(call(t), exactly(reference(x, f, t)), x, f);
    });
}

TEST(Kernel, Conv1dGivesEigensWholeNumbersForEveryStrideDilationAndPadding) {
    Random random;
    const std::vector<Steps> all_steps = {{1, 1, 0}, {2, 1, 0}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 2, 1}, {4, 3, 5}};
    for (const Steps& t : all_steps) {
        for (int R : {1, 2, 3, 7}) {
            const auto x = random.whole({2, random.integer(19, 70), 5}), f = random.whole({R, 5, 17});
            check(call(t), exactly(reference(x, f, t)), x, f);
            if (HasFailure()) return;
        }
    }
}

TEST(Kernel, Conv1dIsWithinTheBoundOfItsSums) {
    Random random;
    const Steps t{2, 1, 3};
    const auto x = random.reals({2, 101, 37}), f = random.reals({7, 37, 65});
    check(call(t), reference(x, f, t), x, f);
}

}  // namespace
}  // namespace halogen::testing
