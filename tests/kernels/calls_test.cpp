// What holds for every kernel, shown on a few: repeated elements, empty tensors without memory, numbers of threads.
#include "halogen/kernels/conv2d.h"
#include "halogen/kernels/matmul.h"
#include "halogen/kernels/max_last.h"
#include "halogen/kernels/sum_last.h"
#include "tests/kernels/harness.h"

#include <limits>

namespace halogen::testing {
namespace {

/// Runs `body` once per leg of this machine, with all calls forced to it.
template<typename Body>
void on_every_leg(Body&& body) {
    for (const Leg leg : legs_here()) {
        ASSERT_TRUE(force_leg(cpu::to_string(leg)));
        SCOPED_TRACE(cpu::to_string(leg));
        body();
    }
    ASSERT_TRUE(force_leg("best"));
}

TEST(Kernel, AStrideOfZeroRepeatsTheElements) {  // every row of A is 1 2 3, B is all ones: sums of 6
    on_every_leg([] {
        const std::vector<float> row = {1, 2, 3}, one = {1};
        std::vector<float> c(7 * 33);
        ASSERT_TRUE(kernels::matmul(view(row.data(), {7, 3}, {0, 1}), view(one.data(), {3, 33}, {0, 0}),
                                    view(c.data(), {7, 33})));
        EXPECT_EQ(c, std::vector<float>(7 * 33, 6));
    });
}

TEST(Kernel, ASumOverNothingIsZeroAndAMaximumIsMinusInfinity) {  // an empty tensor may have a null pointer
    on_every_leg([] {
        const float* none = nullptr;
        std::vector<float> y(5, 9);
        ASSERT_TRUE(kernels::sum_last(view(none, {5, 0}), y));
        EXPECT_EQ(y, std::vector<float>(5, 0));
        ASSERT_TRUE(kernels::max_last(view(none, {5, 0}), y));
        EXPECT_EQ(y, std::vector<float>(5, -std::numeric_limits<float>::infinity()));
        ASSERT_TRUE(kernels::matmul(view(none, {1, 0}), view(none, {0, 5}), view(y.data(), {1, 5})));
        EXPECT_EQ(y, std::vector<float>(5, 0));
    });
}

TEST(Kernel, ACallWithoutOutputElementsDoesNothing) {
    on_every_leg([] {
        const float* none = nullptr;
        float* nowhere = nullptr;
        const std::vector<float> b(15, 1);
        EXPECT_TRUE(kernels::matmul(view(none, {0, 3}), view(b.data(), {3, 5}), view(nowhere, {0, 5})));
    });
}

TEST(Kernel, AnyNumberOfThreadsGivesTheSameWholeNumbers) {
    Random random;
    const auto x = random.whole({2, 33, 35, 16}), f = random.whole({3, 3, 16, 40});
    std::vector<std::vector<float>> answers;
    for (int threads : {1, 2, 3}) {
        std::vector<float> y(2 * 31 * 33 * 40);
        ASSERT_TRUE(kernels::conv2d(view(x.values.data(), {2, 33, 35, 16}), view(f.values.data(), {3, 3, 16, 40}),
                                    view(y.data(), {2, 31, 33, 40}), {.threads = threads}));
        answers.push_back(y);
    }
    EXPECT_EQ(answers[0], answers[1]);
    EXPECT_EQ(answers[0], answers[2]);
}

TEST(Kernel, MakeOutputGivesTheSolvedExtents) {  // (9 - 3)/2 + 1 = 4, (10 - 2)/2 + 1 = 5
    const std::vector<float> x(9 * 10 * 3), f(3 * 2 * 3 * 7);
    const auto y = kernels::conv2d.make_output(view(x.data(), {1, 9, 10, 3}), view(f.data(), {3, 2, 3, 7}), {.T = 2});
    ASSERT_TRUE(y.ok()) << y.status().message();
    EXPECT_EQ(y->extents(), (std::array<std::int64_t, 4>{1, 4, 5, 7}));
}

}  // namespace
}  // namespace halogen::testing
