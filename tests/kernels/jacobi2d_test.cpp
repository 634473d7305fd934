// Against the five shifted blocks of the inner points, in double.
#include "halogen/kernels/jacobi2d.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

/// Inner points: five products with the rounded 0.2 (one more rounding). Border points are copies.
Expected<float, 2> reference(const Array<float, 2>& x) {
    const auto [H, W] = x.extents;
    Expected<float, 2> y({H, W});
    const Matrix values = to_matrix(x);
    matrix(y.value) = values;
    if (H < 3 || W < 3) return y;
    const auto mean = [&, h = H - 2, w = W - 2](const Matrix& m) {
        return (0.2 * (m.block(1, 1, h, w) + m.block(0, 1, h, w) + m.block(2, 1, h, w) + m.block(1, 0, h, w) +
                       m.block(1, 2, h, w)))
            .eval();
    };
    matrix(y.value).block(1, 1, H - 2, W - 2) = mean(values);
    matrix(y.bound).block(1, 1, H - 2, W - 2) = rounding(6) * mean(values.cwiseAbs());
    return y;
}

TEST(Kernel, Jacobi2dMatchesEigen) {
    Random random;
    each(shapes<2>({6, 7}), [&](auto H, auto W) {
        const auto x = random.reals({H, W});
        check([](auto... v) { return kernels::jacobi2d(v...); }, reference(x), x);
    });
}

}  // namespace
}  // namespace halogen::testing
