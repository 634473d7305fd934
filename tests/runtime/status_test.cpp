// What a call answers when something does not fit: the whole text, in the order of the checks, and nothing written.

#include "halogen/kernels/block_sums.h"
#include "halogen/kernels/conv.h"
#include "halogen/kernels/extremes.h"
#include "halogen/kernels/invert.h"
#include "halogen/kernels/place.h"
#include "halogen/kernels/scale.h"
#include "halogen/kernels/take.h"
#include "halogen/kernels/turn.h"

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halogen {
namespace {

using kernels::block_sums;
using kernels::conv;
using kernels::extremes;
using kernels::invert;
using kernels::place;
using kernels::scale;
using kernels::take;
using kernels::turn;

std::string told(const Status& status) {
    return std::string(to_string(status.code())) + "\n" + std::string(status.message());
}

using Tensor4 = Eigen::Tensor<float, 4, Eigen::RowMajor>;

TEST(Error, AContractionOfUnequalExtentsNamesTheIndexAndBothPlaces) {
    Tensor4 x(1, 8, 8, 3), f(3, 3, 4, 2), y(1, 6, 6, 2);
    EXPECT_EQ(told(conv(x, f, y)),
              "size\n"
              "conv: index `c` has extent 3 in X[n, T*y + D*r - P, T*x + D*s - P, c] but 4 in F[r, s, c, k]\n"
              "  at   Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k]\n"
              "  fix  make both extents equal");
}

TEST(Error, AnOutputOfTheWrongSizeIsToldTheFormulaAndItsValues) {  // (8 - 2*(3 - 1) - 1)/1 + 1 = 4
    Tensor4 x(1, 8, 8, 3), f(3, 3, 3, 2), y(1, 4, 6, 2);
    EXPECT_EQ(told(conv(x, f, y, {.D = 2})),
              "size\n"
              "conv: dim 2 of Y has extent 6 but must be 4 = (2*P + W - D*(S - 1) - 1)/T + 1\n"
              "  with W = 8, S = 3, T = 1, D = 2, P = 0\n"
              "  at   Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k]");
}

TEST(Error, AWindowThatDoesNotFitIsAGuard) {
    Tensor4 x(1, 2, 8, 3), f(3, 3, 3, 2), y(1, 1, 6, 2);
    EXPECT_EQ(
        told(conv(x, f, y)),
        "size\n"
        "conv: D*(R - 1) + 1 <= H + 2*P does not hold: `OH` is at least 1, from X[n, T*y + D*r - P, T*x + D*s - P, c]\n"
        "  with H = 2, R = 3, D = 1, P = 0\n"
        "  at   Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k]");
}

TEST(Error, ADivisorOfZeroIsAGuard) {
    std::vector<int> x(8), y(8);
    EXPECT_EQ(told(block_sums(x, y, {.B = 0})),
              "size\nblock_sums: 1 <= B does not hold: the divisor `B` is at least 1\n  with B = 0");
}

TEST(Error, SizesPast64BitsAreToldNotWrapped) {
    Tensor4 x(1, 8, 8, 3), f(3, 3, 3, 2), y(1, 6, 6, 2);
    EXPECT_EQ(conv(x, f, y, {.P = std::int64_t{1} << 61}).code(), StatusCode::overflow);
    EXPECT_EQ(conv(x, f, y, {.D = std::int64_t{1} << 62}).code(), StatusCode::overflow);
}

TEST(Error, AnExtentBelowZeroIsToldFirst) {
    float number = 0;
    EXPECT_EQ(told(scale(view(&number, {2, -3}), view(&number, {1, 1}), {.alpha = 1})),
              "size\nscale: dim 1 of X has the negative extent -3");
}

TEST(Error, ANullPointerIsAllowedForAnEmptyTensorAlone) {
    float* none = nullptr;
    float y[6];
    EXPECT_EQ(told(scale(view(none, {2, 3}), view(y, {2, 3}), {.alpha = 1})),
              "null_pointer\nscale: X is a null pointer but not empty");
    EXPECT_EQ(told(scale(view(y, {2, 3}), view(none, {2, 3}), {.alpha = 1})),
              "null_pointer\nscale: Y is a null pointer but not empty");
    EXPECT_TRUE(scale(view(none, {0, 3}), view(none, {0, 3}), {.alpha = 1}));
}

TEST(Error, TensorsPast31BitsAreRefusedBeforeAnyAccess) {
    float few[4];
    const std::int64_t side = 50'000;  // 2.5e9 elements, by a stride of 0
    EXPECT_EQ(told(scale(view(few, {side, side}, {0, 0}), view(few, {side, side}), {.alpha = 1})),
              "overflow\nscale: X has more than 2^31 - 1 elements\n  fix  call the kernel on parts of it");
    EXPECT_EQ(told(scale(view(few, {2, 2}, {std::int64_t{1} << 40, 1}), view(few, {2, 2}), {.alpha = 1})),
              "overflow\nscale: X spans more than 2^31 - 1 elements of memory\n  fix  call the kernel on parts of it");
    EXPECT_EQ(told(scale(view(few, {0, std::int64_t{1} << 40}), view(few, {0, std::int64_t{1} << 40}), {.alpha = 1})),
              "overflow\nscale: dim 1 of X has more than 2^31 - 1 elements");
}

TEST(Error, AnOutputThatSharesMemoryIsRefused) {
    std::vector<float> memory(64, 1);
    auto part = [&](std::int64_t first) { return view(memory.data() + first, {4, 4}); };
    EXPECT_EQ(told(turn(part(0), part(15))),
              "alias\nturn: output Y and input X share memory\n  fix  give Y memory of its own");
    EXPECT_TRUE(turn(part(0), part(16)));
    EXPECT_EQ(told(turn(part(0), view(memory.data() + 20, {4, 4}, {0, 1}))),
              "alias\nturn: two elements of output Y share memory\n  fix  give it strides under which each element has "
              "its own place");
    int both = 0;
    std::vector<int> x{3, 1, 2};
    EXPECT_EQ(told(extremes(x, both, both)),
              "alias\nextremes: output Most and output Least share memory\n  fix  give Most memory of its own");
    EXPECT_EQ(memory, std::vector<float>(64, 1));
}

TEST(Error, InterleavedTensorsThatShareNothingAreAccepted) {
    Eigen::MatrixXf m = Eigen::MatrixXf::Random(6, 8);
    const Eigen::MatrixXf before = m;
    auto out = m.rightCols(4);
    EXPECT_TRUE(scale(m.leftCols(4), out, {.alpha = 2}));
    EXPECT_EQ(m.rightCols(4), 2 * before.leftCols(4));
    float rgb[3 * 5] = {};
    for (int i = 0; i < 5; i++) rgb[3 * i] = static_cast<float>(i);
    EXPECT_TRUE(scale(view(rgb, {1, 5}, {0, 3}), view(rgb + 1, {1, 5}, {0, 3}), {.alpha = 10}));
    EXPECT_EQ(rgb[3 * 4 + 1], 40);
}

TEST(Error, AMapMayWorkInPlaceOnTheVerySameTensor) {
    Eigen::MatrixXf m = Eigen::MatrixXf::Random(37, 53);
    const Eigen::MatrixXf before = m;
    EXPECT_TRUE(scale(m, m, {.alpha = 3}));
    EXPECT_EQ(m, 3 * before);
    auto shifted = m.topRows(36);
    EXPECT_EQ(scale(m.bottomRows(36), shifted, {.alpha = 3}).code(), StatusCode::alias);
    Eigen::MatrixXf square = Eigen::MatrixXf::Random(8, 8);
    EXPECT_EQ(turn(square, square).code(), StatusCode::alias);
}

using Bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

TEST(Error, AMapInPlaceReadsNoResultOnAnyLegAtAnyExtent) {  // tails that move inwards would
    for (const char* leg : {"sse41", "avx2", "avx512", "zen4"}) {
        if (!force_leg(leg)) continue;
        for (const int rows : {1, 2, 15, 16, 17, 33, 63, 65, 130, 1000})
            for (const int columns : {1, 3, 131}) {
                Bytes m = Bytes::Random(rows, columns);
                const Bytes expected = (255 - m.cast<int>().array()).matrix().cast<std::uint8_t>();
                Eigen::MatrixXf f = Eigen::MatrixXf::Random(rows, columns);
                const Eigen::MatrixXf before = f;
                EXPECT_TRUE(invert(m, m));
                EXPECT_TRUE(scale(f, f, {.alpha = 3}));
                EXPECT_EQ(m, expected) << leg << " " << rows << " x " << columns;
                EXPECT_EQ(f, 3 * before) << leg << " " << rows << " x " << columns;
                Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = expected;
                EXPECT_TRUE(invert(by_rows, by_rows));
                EXPECT_EQ(by_rows, (255 - expected.cast<int>().array()).matrix().cast<std::uint8_t>());
            }
    }
    (void)force_leg("best");
}

TEST(Error, AnIndexOutOfRangeNamesTensorPlaceAndValue) {
    std::vector<std::int16_t> table{10, 20, 30, 40, 50}, y{7, 7, 7};
    std::vector<long> row{0, 1, 0, 0, 0, 2};
    EXPECT_EQ(told(take(table, view(row.data(), {3, 2}), y, {.Shift = 1})),
              "index\n"
              "take: 2*Row[m, 1] + Shift = 5 is outside dim 0 of Table, which has extent 5\n"
              "  at   m = 2, in Y[m] = Table[2*Row[m, 1] + Shift]");
    EXPECT_EQ(y, (std::vector<std::int16_t>{7, 7, 7}));
    EXPECT_TRUE(take(table, view(row.data(), {3, 2}), y, {.Shift = 0}));
    EXPECT_EQ(y, (std::vector<std::int16_t>{30, 10, 50}));
    row[5] = -1;
    EXPECT_EQ(take(table, view(row.data(), {3, 2}), y, {.Shift = 0}).code(), StatusCode::index);
    row[5] = std::int64_t{1} << 40;
    EXPECT_EQ(take(table, view(row.data(), {3, 2}), y, {.Shift = 0}).code(), StatusCode::index);
}

TEST(Error, TwoPointsInOneElementAreRefusedUnderAssignment) {  // points 0 and 2 meet; the first is named
    std::vector<unsigned char> x{1, 2, 3}, y(4, 9);
    std::vector<int> at{3, 0, 2};
    EXPECT_TRUE(place(x, at, y, {.M = 4}));
    EXPECT_EQ(y, (std::vector<unsigned char>{2, 0, 3, 1}));
    at = {1, 0, 1};
    EXPECT_EQ(
        told(place(x, at, y, {.M = 4})),
        "index\n"
        "place: At[i] = 1 leads to an element of Y that another point writes too; under `=` each may be written once\n"
        "  at   i = 0, in Y[At[i]] = X[i]");
    EXPECT_EQ(y, (std::vector<unsigned char>{2, 0, 3, 1}));
}

TEST(Error, LegsAreRefusedByName) {
    std::vector<float> x(4, 1), y(4);
    const auto in = view(x.data(), {2, 2});
    const auto out = view(y.data(), {2, 2});
    EXPECT_EQ(told(scale(in, out, {.alpha = 1, .leg = "neon"})),
              "leg\nscale: unknown leg \"neon\"\n  fix  one of sse41, avx2, avx512, zen4, or best");
    EXPECT_EQ(told(turn(in, out, {.leg = "avx2"})),
              "leg\nturn: the library has no leg avx2, only sse41\n  fix  compile the kernel with --target avx2");
    EXPECT_EQ(told(force_leg("mmx")),
              "leg\nforce_leg: unknown leg \"mmx\"\n  fix  one of sse41, avx2, avx512, zen4, or best");
}

TEST(Error, SizesAreCheckedBeforeAliasesAndAliasesBeforeLegs) {
    Eigen::MatrixXf m(3, 4);
    EXPECT_EQ(turn(m, m, {.leg = "neon"}).code(), StatusCode::size);
    Eigen::MatrixXf square(3, 3);
    EXPECT_EQ(turn(square, square, {.leg = "neon"}).code(), StatusCode::alias);
}

}  // namespace
}  // namespace halogen
