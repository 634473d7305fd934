// Against C = A B^T in double.
#include "halogen/kernels/matmul_nt.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

void product(Array<double, 2>& c, const Array<double, 2>& a, const Array<double, 2>& b) {
    matrix(c).noalias() += matrix(a) * matrix(b).transpose();
}

constexpr auto call = [](auto... v) { return kernels::matmul_nt(v...); };

TEST(Kernel, MatmulNtGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<3>({5, 6, 3}), [&](auto M, auto N, auto K) {
        const auto a = random.whole({M, K}), b = random.whole({N, K});
        check(call, exactly(sum_of_products(K, {M, N}, product, a, b)), a, b);
    });
}

TEST(Kernel, MatmulNtIsWithinTheBoundOfItsSums) {
    Random random;
    each(
        std::vector<std::array<std::int64_t, 3>>{
            {1, 1, 1000}, {13, 33, 17}, {37, 41, 499}, {128, 128, 128}, {193, 67, 65}},
        [&](auto M, auto N, auto K) {
            const auto a = random.reals({M, K}), b = random.reals({N, K});
            check(call, sum_of_products(K, {M, N}, product, a, b), a, b);
        });
}

}  // namespace
}  // namespace halogen::testing
