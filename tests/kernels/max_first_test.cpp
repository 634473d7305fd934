// Against Eigen's colwise largest elements; a maximum rounds nothing.
#include "halogen/kernels/max_first.h"
#include "tests/kernels/harness.h"

#include <limits>

namespace halogen::testing {
namespace {

Expected<float, 1> reference(const Array<float, 2>& x) {
    const auto [M, N] = x.extents;
    Expected<float, 1> y({N});
    std::fill(y.value.values.begin(), y.value.values.end(), -std::numeric_limits<double>::infinity());
    if (M > 0) matrix(y.value) = to_matrix(x).colwise().maxCoeff();
    return y;
}

constexpr auto call = [](auto... v) { return kernels::max_first(v...); };

TEST(Kernel, MaxFirstMatchesEigen) {
    Random random;
    each(shapes<2>({6, 7}), [&](auto M, auto N) {
        const auto x = random.reals({M, N}, -9, -1);
        check(call, reference(x), x);
    });
}

TEST(Kernel, MaxFirstMatchesEigenOnLongAxes) {
    Random random;
    for (auto [M, N] : {std::pair{1, 4097}, {4097, 1}, {37, 499}, {499, 37}}) {
        const auto x = random.reals({M, N});
        check(call, reference(x), x);
    }
}

}  // namespace
}  // namespace halogen::testing
