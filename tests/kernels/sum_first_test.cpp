// Against Eigen's colwise sums, in double.
#include "halogen/kernels/sum_first.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

void sums(Array<double, 1>& y, const Array<double, 2>& x) { matrix(y) = matrix(x).colwise().sum(); }

constexpr auto call = [](auto... v) { return kernels::sum_first(v...); };

TEST(Kernel, SumFirstGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<2>({6, 7}), [&](auto M, auto N) {
        const auto x = random.whole({M, N});
        check(call, exactly(sum_of_products(M, {N}, sums, x)), x);
    });
}

TEST(Kernel, SumFirstIsWithinTheBoundOfItsSums) {
    Random random;
    for (auto [M, N] : {std::pair{1, 4097}, {4097, 1}, {37, 499}, {499, 37}}) {
        const auto x = random.reals({M, N});
        check(call, sum_of_products(M, {N}, sums, x), x);
    }
}

}  // namespace
}  // namespace halogen::testing
