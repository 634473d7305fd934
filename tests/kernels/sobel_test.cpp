// Against both gradients on the image continued by its border, in double.
#include "halogen/kernels/sobel.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/images.h"

namespace halogen::testing {
namespace {

/// [1 2 1] across, [-1 0 1] along: `down` for the gradient from top to bottom.
Matrix gradient(const Matrix& p, bool down, double sign) {
    const auto H = p.rows() - 2, W = p.cols() - 2;
    const auto at = [&](int i, int j) { return down ? p.block(i, j, H, W) : p.block(j, i, H, W); };
    return at(2, 0) + 2 * at(2, 1) + at(2, 2) + sign * (at(0, 0) + 2 * at(0, 1) + at(0, 2));
}

/// Each gradient has six terms, two of them doubled (exactly); the length of a vector moves by no more than the sum of
/// what its parts move; two squares, a sum and a root: at most three roundings of the length.
Expected<float, 2> reference(const Array<float, 2>& x) {
    Expected<float, 2> y(x.extents);
    const Matrix p = continued(to_matrix(x), 1), m = p.cwiseAbs();
    const auto length =
        (gradient(p, false, -1).array().square() + gradient(p, true, -1).array().square()).sqrt().eval();
    matrix(y.value) = length.matrix();
    matrix(y.bound) = rounding(6) * (gradient(m, false, 1) + gradient(m, true, 1)) + rounding(3) * length.matrix();
    return y;
}

TEST(Kernel, SobelMatchesEigen) {
    Random random;
    each(shapes<2>({6, 7}), [&](auto H, auto W) {
        const auto x = random.reals({H, W}, 0, 255);
        if (H > 0 && W > 0) check([](auto... v) { return kernels::sobel(v...); }, reference(x), x);
    });
}

TEST(Kernel, SobelOfAnEdgeIsItsHeightTimesFour) {  // columns 0 0 9 9: 4 * 9 on both sides of the step
    Array<float, 2> x({3, 4});
    for (int i = 0; i < 3; i++) x(i, 2) = x(i, 3) = 9;
    auto y = reference(x);
    EXPECT_EQ(y.value(1, 0), 0);
    EXPECT_EQ(y.value(1, 1), 36);
    EXPECT_EQ(y.value(1, 2), 36);
    check([](auto... v) { return kernels::sobel(v...); }, exactly(y), x);
}

}  // namespace
}  // namespace halogen::testing
