// Against the rows' mean and variance in double.
#include "halogen/kernels/layernorm.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

constexpr float eps = 1e-5f;

/// Step by step, with e(v) the error of v. Mean: e(m) = g(N + 1) mean|x|. d = x - m: e(d) = e(m) + u|d|. V = mean d^2:
/// e(V) = mean(2|d| e(d) + e(d)^2) + g(N + 1) V. q = rsqrt(V + eps): relatively at most e(V)/(V + eps), twice the
/// derivative's, which holds while e(V) is below half of V + eps; and the function's own. y = d q gamma + beta: three
/// roundings of the product, one of the sum.
Expected<float, 2> reference(const Array<float, 2>& x, const Array<float, 1>& gamma, const Array<float, 1>& beta) {
    const auto [B, N] = x.extents;
    Expected<float, 2> y({B, N});
    const Matrix values = to_matrix(x);
    const Eigen::ArrayXd scale = to_matrix(gamma).row(0).transpose(), shift = to_matrix(beta).row(0).transpose();
    for (std::int64_t b = 0; b < B && N > 0; b++) {
        const Eigen::ArrayXd row = values.row(b).transpose();
        const Eigen::ArrayXd d = row - row.mean();
        const double V = d.square().mean(), q = 1 / std::sqrt(V + eps);
        const Eigen::ArrayXd e_d = rounding(N + 1) * row.abs().mean() + rounding(1) * d.abs();
        const double e_V = (2 * d.abs() * e_d + e_d.square()).mean() + rounding(N + 1) * V;
        const double relative_q = e_V / (V + eps) + function_error + rounding(1);
        const Eigen::ArrayXd product = (d * q * scale).abs();
        const Eigen::ArrayXd bound = (e_d * q * scale).abs() * (1 + relative_q) + product * (relative_q + rounding(3)) +
                                     rounding(1) * shift.abs();
        matrix(y.value).row(b) = (d * q * scale + shift).matrix().transpose();
        matrix(y.bound).row(b) = bound.matrix().transpose();
    }
    return y;
}

TEST(Kernel, LayernormMatchesEigen) {
    Random random;
    each(shapes<2>({3, 5}), [&](auto B, auto N) {
        const auto x = random.reals({B, N}, -3, 5);
        const auto gamma = random.reals({N}, 0.5, 2);
        const auto beta = random.reals({N});
        check([](auto x_, auto gamma_, auto beta_,
                 auto y_) { return kernels::layernorm(x_, gamma_, beta_, y_, {.eps = eps}); },
              reference(x, gamma, beta), x, gamma, beta);
    });
}

}  // namespace
}  // namespace halogen::testing
