// Shards by calls of compiled kernels, on parts of the same tensors.

#include "halogen/shards.h"
#include "halogen/kernels/conv.h"
#include "halogen/kernels/difference.h"

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include <gtest/gtest.h>

#include <string>

namespace halogen {
namespace {

using kernels::conv;
using kernels::difference;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const char* const rows_of_five =  // halogen shard --set M=5 N=3 --split i=2 --parts
    "halogen parts 1\nkernel difference\nkey 0\ntensor X 5 3\ntensor Z 5 3\ntensor Y 5 3\n"
    "shard 0\npart X 0 2 0 3\npart Z 0 2 0 3\npart Y 0 2 0 3\n"
    "shard 1\npart X 2 3 0 3\npart Z 2 3 0 3\npart Y 2 3 0 3\n";

TEST(ShardCalls, LeaveWhatOneCallLeaves) {
    const auto parts = ShardParts::parse(rows_of_five);
    ASSERT_TRUE(parts) << parts.status().message();
    const Matrix x = Matrix::Random(5, 3), z = Matrix::Random(5, 3);
    for (const int threads : {1, 2, 7}) {
        Matrix y = Matrix::Zero(5, 3);
        const Status done = run_shards(*parts, threads, [&](const Shard& s) {
            return difference(s.of<2>("X", x), s.of<2>("Z", z), s.of<2>("Y", y), {.threads = 1});
        });
        ASSERT_TRUE(done) << done.message();
        EXPECT_EQ(y, x - z);
    }
}

TEST(ShardCalls,
     AHaloIsReadByBothNeighbours) {  // 3 x 1 windows: rows 0 to 3 and 2 to 5 of X for rows 0 to 1 and 2 to 3 of Y
    const auto parts = ShardParts::parse(
        "tensor X 1 6 2 1\ntensor F 3 1 1 1\ntensor Y 1 4 2 1\n"
        "shard 0\npart X 0 1 0 4 0 2 0 1\npart F 0 3 0 1 0 1 0 1\npart Y 0 1 0 2 0 2 0 1\n"
        "shard 1\npart X 0 1 2 4 0 2 0 1\npart F 0 3 0 1 0 1 0 1\npart Y 0 1 2 2 0 2 0 1\n");
    ASSERT_TRUE(parts) << parts.status().message();
    Eigen::Tensor<float, 4, Eigen::RowMajor> x(1, 6, 2, 1), f(3, 1, 1, 1), y(1, 4, 2, 1), whole(1, 4, 2, 1);
    for (int i = 0; i < 12; i++) x.data()[i] = static_cast<float>(i * i);
    f.setConstant(1);
    ASSERT_TRUE(conv(x, f, whole));
    ASSERT_TRUE(run_shards(*parts, 2, [&](const Shard& s) {
        return conv(s.of<4>("X", x), s.of<4>("F", f), s.of<4>("Y", y), {.threads = 1});
    }));
    for (int i = 0; i < 8; i++) EXPECT_EQ(y.data()[i], whole.data()[i]);
}

TEST(ShardCalls, TensorsOfOtherExtentsAreRefused) {
    const auto parts = ShardParts::parse(rows_of_five);
    const Matrix x = Matrix::Random(6, 3), z = Matrix::Random(5, 3);
    Matrix y = Matrix::Zero(5, 3);
    const Status done = run_shards(
        *parts, 2, [&](const Shard& s) { return difference(s.of<2>("X", x), s.of<2>("Z", z), s.of<2>("Y", y)); });
    EXPECT_EQ(done.code(), StatusCode::size);
    EXPECT_EQ(done.message(), "`X` has other extents than the plan was made for: [5, 3]");
    EXPECT_EQ(y, Matrix::Zero(5, 3));
    EXPECT_EQ(run_shards(*parts, 1, [&](const Shard& s) { return difference(s.of<2>("W", z), z, y); }).message(),
              "`W` is no tensor of the plan's kernel");
}

TEST(ShardCalls, TextsThatAreNoPartsAreRefused) {
    const auto message = [](const std::string& text) {
        return std::string(ShardParts::parse(text).status().message());
    };
    EXPECT_EQ(message(""), "there are no shards: print them by `halogen shard --parts`");
    EXPECT_EQ(message("tensor X 5 3\nshard 0\npart X 0 2 0\n"),
              "line 3 is no line that `halogen shard --parts` prints");
    EXPECT_EQ(message("tensor X 5 3\nshard 0\npart X 4 2 0 3\n"),
              "line 3 is no line that `halogen shard --parts` prints");
    EXPECT_EQ(message("tensor X 5 3\npart X 0 2 0 3\n"), "line 2 is no line that `halogen shard --parts` prints");
    EXPECT_EQ(message("split i 2\n"), "line 1 is no line that `halogen shard --parts` prints");
}

}  // namespace
}  // namespace halogen
