// Against y = A x in double.
#include "halogen/kernels/gemv.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

void product(Array<double, 1>& y, const Array<double, 2>& a, const Array<double, 1>& x) {
    matrix(y, 1).transpose().noalias() += matrix(a) * matrix(x, 1).transpose();
}

constexpr auto call = [](auto... v) { return kernels::gemv(v...); };

TEST(Kernel, GemvGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<2>({6, 5}), [&](auto M, auto K) {
        const auto a = random.whole({M, K});
        const auto b = random.whole({K});
        check(call, exactly(sum_of_products(K, {M}, product, a, b)), a, b);
    });
}

TEST(Kernel, GemvIsWithinTheBoundOfItsSums) {
    Random random;
    each(std::vector<std::array<std::int64_t, 2>>{{1, 1000}, {1000, 1}, {37, 499}, {257, 511}}, [&](auto M, auto K) {
        const auto a = random.reals({M, K});
        const auto b = random.reals({K});
        check(call, sum_of_products(K, {M}, product, a, b), a, b);
    });
}

}  // namespace
}  // namespace halogen::testing
