// Against Z = X W^T + bias in double and the exact GELU of its elements.
#include "halogen/kernels/gelu_linear.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

/// Error of gelu(z) for an error e of z: |gelu'| <= 1.13, so 1.13 e; the error of erf is multiplied by |z|/2, as are
/// the roundings of 0.70710678, of the product with z (|t erf'(t)| < 0.5) and of the sum 1 + erf <= 2; three products.
Expected<float, 2> reference(const Array<float, 2>& x, const Array<float, 2>& w, const Array<float, 1>& bias) {
    const std::int64_t M = x.extents[0], N = w.extents[0], K = x.extents[1];
    Expected<float, 2> y({M, N});
    auto z = matrix(y.value);
    auto error = matrix(y.bound);
    z = to_matrix(x) * to_matrix(w).transpose();
    error = to_matrix(x).cwiseAbs() * to_matrix(w).cwiseAbs().transpose();
    z.rowwise() += to_matrix(bias).row(0);
    error.rowwise() += to_matrix(bias).cwiseAbs().row(0);
    for (std::int64_t i = 0; i < z.size(); i++) {
        double& v = y.value.values[i];
        const double e = rounding(K + 1) * y.bound.values[i], half = 0.5 * std::abs(v);
        v = 0.5 * v * (1 + std::erf(v * 0.70710678));
        y.bound.values[i] = 1.13 * e + half * (function_error + rounding(3)) + rounding(3) * std::abs(v);
    }
    return y;
}

TEST(Kernel, GeluLinearMatchesEigen) {
    Random random;
    each(shapes<3>({5, 6, 3}), [&](auto M, auto N, auto K) {
        const auto x = random.reals({M, K}, -2, 2);
        const auto w = random.reals({N, K});
        const auto bias = random.reals({N});
        check([](auto... v) { return kernels::gelu_linear(v...); }, reference(x, w, bias), x, w, bias);
    });
}

}  // namespace
}  // namespace halogen::testing
