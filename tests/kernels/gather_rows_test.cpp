// Against Eigen's rows, picked one by one.
#include "halogen/kernels/gather_rows.h"
#include "tests/kernels/harness.h"

namespace halogen::testing {
namespace {

Expected<float, 2> reference(const Array<float, 2>& x, const Array<std::int32_t, 1>& rows) {
    Expected<float, 2> y({rows.extents[0], x.extents[1]});
    for (std::int64_t n = 0; n < rows.extents[0]; n++) matrix(y.value).row(n) = to_matrix(x).row(rows(n));
    return y;
}

constexpr auto call = [](auto... v) { return kernels::gather_rows(v...); };

TEST(Kernel, GatherRowsMatchesEigen) {
    Random random;
    each(shapes<3>({7, 6, 5}), [&](auto V, auto D, auto N) {
        if (V == 0) return;  // no row to name
        const auto x = random.reals({V, D});
        const auto rows = random.whole<std::int32_t>({N}, 0, V - 1);
        check(call, reference(x, rows), x, rows);
    });
}

TEST(Kernel, GatherRowsOfNothingNeedsNoRows) {
    const Array<float, 2> x({0, 5});
    const Array<std::int32_t, 1> rows({0});
    check(call, reference(x, rows), x, rows);
}

TEST(Kernel, GatherRowsRefusesARowThatIsNotThere) {
    Random random;
    const auto x = random.reals({7, 5});
    for (int wrong : {7, -1, 2147483647, -2147483647 - 1}) {
        auto rows = random.whole<std::int32_t>({37}, 0, 6);
        rows(35) = wrong;
        refuses(call, StatusCode::index, Array<float, 2>({37, 5}), x, rows);
    }
}

}  // namespace
}  // namespace halogen::testing
