// Against Eigen's transpose.
#include "halogen/kernels/transpose.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

TEST(Kernel, TransposeMatchesEigen) {
    Random random;
    each(shapes<2>({6, 7}), [&](auto M, auto N) {
        const auto x = random.reals({M, N});
        Expected<float, 2> y({N, M});
        matrix(y.value) = to_matrix(x).transpose();
        check([](auto... v) { return kernels::transpose(v...); }, y, x);
    });
}

}  // namespace
}  // namespace halogen::testing
