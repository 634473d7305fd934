// Against running sums in double.
#include "halogen/kernels/cumsum.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

void running(Array<double, 2>& y, const Array<double, 2>& x) {
    for (std::int64_t n = 0; n < x.extents[1]; n++) matrix(y).col(n) = matrix(x).leftCols(n + 1).rowwise().sum();
}

constexpr auto call = [](auto... v) { return kernels::cumsum(v...); };

TEST(Kernel, CumsumGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<2>({3, 7}), [&](auto B, auto N) {
        const auto x = random.whole({B, N});
        check(call, exactly(sum_of_products(N, {B, N}, running, x)), x);
    });
}

TEST(Kernel, CumsumIsWithinTheBoundOfItsSums) {
    const auto x = Random().reals({17, 499});
    check(call, sum_of_products(499, {17, 499}, running, x), x);
}

}  // namespace
}  // namespace halogen::testing
