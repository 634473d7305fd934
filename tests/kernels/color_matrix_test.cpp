// Against the pixels as rows, times the matrix transposed, in double.
#include "halogen/kernels/color_matrix.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

void product(Array<double, 3>& y, const Array<double, 3>& x, const Array<double, 2>& m) {
    matrix(y).noalias() += matrix(x) * matrix(m).transpose();
}

constexpr auto call = [](auto... v) { return kernels::color_matrix(v...); };

TEST(Kernel, ColorMatrixGivesEigensWholeNumbers) {  // small whole numbers: the sums are exact, so is equality
    Random random;
    each(shapes<4>({4, 5, 3, 3}), [&](auto H, auto W, auto C, auto K) {
        const auto a = random.whole({H, W, C});
        const auto b = random.whole({K, C});
        check(call, exactly(sum_of_products(C, {H, W, K}, product, a, b)), a, b);
    });
}

TEST(Kernel, ColorMatrixIsWithinTheBoundOfItsSums) {
    Random random;
    each(std::vector<std::array<std::int64_t, 4>>{{7, 13, 3, 1}, {31, 33, 3, 3}, {64, 65, 4, 4}, {5, 5, 17, 9}},
         [&](auto H, auto W, auto C, auto K) {
             const auto a = random.reals({H, W, C});
             const auto b = random.reals({K, C});
             check(call, sum_of_products(C, {H, W, K}, product, a, b), a, b);
         });
}

}  // namespace
}  // namespace halogen::testing
