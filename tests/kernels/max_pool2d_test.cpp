// Against the largest element of each window of the padded image; a maximum rounds nothing.
#include "halogen/kernels/max_pool2d.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/windows.h"

#include <limits>

namespace halogen::testing {
namespace {

struct Pool {
    std::int64_t R = 2, S = 2, T = 2, P = 0;
};

auto call(const Pool& p) {
    return [p](auto... v) { return kernels::max_pool2d(v..., {.R = p.R, .S = p.S, .T = p.T, .P = p.P}); };
}

Expected<float, 4> reference(const Array<float, 4>& x, const Pool& p) {
    const auto [N, H, W, C] = x.extents;
    const Steps t{p.T, 1, p.P};
    Expected<float, 4> y({N, t.windows(H, p.R), t.windows(W, p.S), C});
    const double lowest = -std::numeric_limits<double>::infinity();
    std::fill(y.value.values.begin(), y.value.values.end(), lowest);
    for_each_tap(y.value, padded(cast<double>(x), p.P, p.P, lowest), p.R, p.S, t,
                 [](auto& out, const auto& in, auto, auto) { out = out.cwiseMax(in).eval(); });
    return y;
}

TEST(Kernel, MaxPool2dMatchesEigen) {
    Random random;
    each(shapes<4>({1, 5, 6, 4}, 131, 20, 33), [&](auto N, auto H, auto W, auto C) {
        const auto x = random.reals({N, H, W, C});
        if (H >= 2 && W >= 2) check(call({}), reference(x, {}), x);
    });
}

TEST(Kernel, MaxPool2dMatchesEigenForEveryWindow) {
    Random random;
    for (const Pool& p : {Pool{1, 1, 1, 0}, Pool{2, 3, 1, 0}, Pool{3, 3, 2, 1}, Pool{3, 2, 3, 1}, Pool{7, 5, 4, 2}}) {
        const auto x = random.reals({2, random.integer(9, 30), random.integer(13, 40), 19});
        check(call(p), reference(x, p), x);
        if (HasFailure()) return;
    }
}

TEST(Kernel, MaxPool2dRefusesAnImageSmallerThanItsWindow) {  // (1 - 2)/2 + 1 = 0 windows, rounded down
    Random random;
    refuses(call({}), StatusCode::size, Array<float, 4>({1, 1, 2, 3}), random.reals({1, 1, 4, 3}));
}

}  // namespace
}  // namespace halogen::testing
