// Against counting, value by value, with Eigen.
#include "halogen/kernels/histogram.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

Expected<std::int32_t, 1> reference(const Array<std::uint8_t, 1>& x) {
    Expected<std::int32_t, 1> y({256});
    const Eigen::Map<const Eigen::Array<std::uint8_t, Eigen::Dynamic, 1>> values(x.values.data(), x.extents[0]);
    for (int v = 0; v < 256; v++) y.value(v) = static_cast<double>((values == static_cast<std::uint8_t>(v)).count());
    return y;
}

constexpr auto call = [](auto... v) { return kernels::histogram(v...); };

TEST(Kernel, HistogramCountsAsEigenDoes) {
    Random random;
    each(shapes<1>({5}), [&](auto N) {
        const auto x = random.whole<std::uint8_t>({N}, 0, 255);
        check(call, reference(x), x);
    });
}

TEST(Kernel, HistogramOfOneValueCountsEveryElement) {  // all points meet in one bin
    const Array<std::uint8_t, 1> x({100003}, 255);
    check(call, reference(x), x);
}

}  // namespace
}  // namespace halogen::testing
