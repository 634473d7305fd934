// Against the sum over the (2 R + 1)^2 products of weights, on the image continued by its border, in double.
#include "halogen/kernels/gaussian_blur.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/images.h"

namespace halogen::testing {
namespace {

/// A weight's relative error: its exponent t^2/(2 sigma^2) is rounded four times, exp adds its error; so do the summands
/// of the normalising sum of n = 2 R + 1 terms, and there is one division. Two passes of n products each.
Expected<float, 2> reference(const Array<float, 2>& x, double sigma, std::int64_t R) {
    const auto [H, W] = x.extents;
    const std::int64_t n = 2 * R + 1;
    Vector weights(n);
    for (std::int64_t t = 0; t < n; t++) weights(t) = std::exp(-0.5 * (t - R) / sigma * (t - R) / sigma);
    weights /= weights.sum();
    const double largest_exponent = 0.5 * R / sigma * R / sigma;
    const double of_weight = 2 * (function_error + rounding(4) * largest_exponent) + rounding(n + 1);
    Expected<float, 2> y({H, W});
    const Matrix p = continued(to_matrix(x), R);
    for (std::int64_t i = 0; i < n; i++) {
        for (std::int64_t j = 0; j < n; j++) {
            const Matrix part = weights(i) * weights(j) * p.block(i, j, H, W);
            matrix(y.value) += part;
            matrix(y.bound) += part.cwiseAbs();
        }
    }
    matrix(y.bound) *= 2 * (of_weight + rounding(n));
    return y;
}

auto call(float sigma, std::int64_t R) {
    return [=](auto... v) { return kernels::gaussian_blur(v..., {.sigma = sigma, .R = R}); };
}

TEST(Kernel, GaussianBlurMatchesEigen) {
    Random random;
    each(shapes<2>({6, 7}), [&](auto H, auto W) {
        const auto x = random.reals({H, W}, 0, 255);
        if (H > 0 && W > 0) check(call(1.0f, 2), reference(x, 1.0f, 2), x);
    });
}

TEST(Kernel, GaussianBlurMatchesEigenForEveryRadius) {
    Random random;
    for (auto [sigma, R] : {std::pair{0.5f, 0}, {0.8f, 1}, {1.5f, 3}, {2.5f, 8}, {7.0f, 20}}) {
        const auto x = random.reals({19, 37}, 0, 255);
        check(call(sigma, R), reference(x, sigma, R), x);
        if (HasFailure()) return;
    }
}

TEST(Kernel, GaussianBlurRefusesAnImageWithoutABorder) {  // `else edge` needs an element to repeat
    refuses(call(1.0f, 2), StatusCode::size, Array<float, 2>({0, 5}), Array<float, 2>({0, 5}));
}

}  // namespace
}  // namespace halogen::testing
