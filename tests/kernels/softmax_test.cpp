// Against exp(x - max) / sum, row by row, in double.
#include "halogen/kernels/softmax.h"
#include "tests/kernels/harness.h"

#include <limits>

namespace halogen::testing {
namespace {

/// Relative error of y: each exp sees an argument rounded by u |x - m| and adds its own error; so do the summands, of
/// which N are added up; one division. Results below the smallest normal float may be lost.
Expected<float, 2> reference(const Array<float, 2>& x) {
    const auto [B, N] = x.extents;
    Expected<float, 2> y({B, N});
    const Matrix values = to_matrix(x);
    auto out = matrix(y.value), bound = matrix(y.bound);
    for (std::int64_t b = 0; b < B && N > 0; b++) {
        const Eigen::ArrayXd d = values.row(b).array() - values.row(b).maxCoeff();
        const double spread = d.abs().maxCoeff();
        out.row(b) = (d.exp() / d.exp().sum()).matrix();
        const double relative = 2 * (function_error + rounding(1) * spread) + rounding(N + 1);
        bound.row(b) = (out.row(b).array() * relative + std::numeric_limits<float>::min()).matrix();
    }
    return y;
}

constexpr auto call = [](auto... v) { return kernels::softmax(v...); };

TEST(Kernel, SoftmaxMatchesEigen) {
    Random random;
    each(shapes<2>({3, 5}), [&](auto B, auto N) {
        const auto x = random.reals({B, N}, -10, 10);
        check(call, reference(x), x);
    });
}

TEST(Kernel, SoftmaxOfLargeNumbersDoesNotOverflow) {  // exp(1000) is infinite in f32, and in f64 too
    const auto x = Random().reals({3, 37}, 990, 1010);
    check(call, reference(x), x);
}

}  // namespace
}  // namespace halogen::testing
