// One library of all kernels of a file, as `halogen compile several.hgn` makes it.

#include "centre.h"
#include "centre_reversed.h"
#include "take.h"
#include "take_check.h"

#include <Eigen/Core>

#include <gtest/gtest.h>

#include <vector>

namespace halogen::kernels {
namespace {

TEST(Library, HoldsEachKernelUnderItsOwnName) {
    const std::vector<float> x{1, 2, 4};
    std::vector<float> y(3);
    ASSERT_TRUE(centre_reversed(x, y));
    EXPECT_EQ(y, (std::vector<float>{4, 2, 1}));
    ASSERT_TRUE(take_check(x, y));
    EXPECT_EQ(y, (std::vector<float>{-1, -2, -4}));
}

TEST(Library, KernelsFindTheirCompanions) {
    const Eigen::MatrixXf x = (Eigen::MatrixXf(2, 2) << 1, 2, 3, 4).finished();  // columns first: the reversed kernel
    Eigen::MatrixXf y(2, 2);
    ASSERT_TRUE(centre(x, y));
    EXPECT_EQ(y, (Eigen::MatrixXf(2, 2) << -2, -1, -4, -3).finished());
    const std::vector<float> table{5, 6};
    std::vector<float> taken(2);
    ASSERT_TRUE(take(table, std::vector<int>{1, 0}, taken));
    EXPECT_EQ(taken, (std::vector<float>{6, 5}));
    EXPECT_EQ(take(table, std::vector<int>{1, 2}, taken).code(), StatusCode::index);  // the companion has looked
}

}  // namespace
}  // namespace halogen::kernels
