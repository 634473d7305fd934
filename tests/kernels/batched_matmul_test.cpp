// Against one product per b in double.
#include "halogen/kernels/batched_matmul.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

void product(Array<double, 3>& c, const Array<double, 3>& a, const Array<double, 3>& b) {
    const auto [B, M, N] = c.extents;
    const std::int64_t K = a.extents[2];
    for (std::int64_t i = 0; i < B; i++) {
        const ConstWindow left(a.values.data() + i * M * K, M, K, Eigen::OuterStride<>(K));
        const ConstWindow right(b.values.data() + i * K * N, K, N, Eigen::OuterStride<>(N));
        Window(c.values.data() + i * M * N, M, N, Eigen::OuterStride<>(N)).noalias() += left * right;
    }
}

constexpr auto call = [](auto... v) { return kernels::batched_matmul(v...); };

TEST(Kernel, BatchedMatmulGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<4>({3, 5, 6, 2}), [&](auto B, auto M, auto N, auto K) {
        const auto a = random.whole({B, M, K}), b = random.whole({B, K, N});
        check(call, exactly(sum_of_products(K, {B, M, N}, product, a, b)), a, b);
    });
}

TEST(Kernel, BatchedMatmulIsWithinTheBoundOfItsSums) {
    Random random;
    each(std::vector<std::array<std::int64_t, 4>>{{1, 1, 1, 1000}, {2, 13, 33, 17}, {3, 37, 41, 199}, {4, 64, 65, 63}},
         [&](auto B, auto M, auto N, auto K) {
             const auto a = random.reals({B, M, K}), b = random.reals({B, K, N});
             check(call, sum_of_products(K, {B, M, N}, product, a, b), a, b);
         });
}

}  // namespace
}  // namespace halogen::testing
