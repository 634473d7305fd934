// What the caller's objects become: pointer, extents, strides in elements.

#include "runtime/view.h"
#include "runtime/scalar.h"

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

namespace halogen {
namespace {

template<int Rank, typename M>
std::string shown(M& m, const void* base) {
    const auto v = detail::to_view<Rank>(m);
    std::string out = "@" + std::to_string((reinterpret_cast<const char*>(v.data) - static_cast<const char*>(base)) /
                                           static_cast<long>(sizeof(*v.data)));
    for (std::size_t d = 0; d < Rank; d++)
        out += " " + std::to_string(v.extents[d]) + ":" + std::to_string(v.strides[d]);
    return out;
}

TEST(View, EigenMatricesKeepTheirOrder) {
    Eigen::MatrixXf column(3, 5);
    Eigen::Matrix<float, -1, -1, Eigen::RowMajor> row(3, 5);
    EXPECT_EQ(shown<2>(column, column.data()), "@0 3:1 5:3");
    EXPECT_EQ(shown<2>(row, row.data()), "@0 3:5 5:1");
}

TEST(View, EigenBlocksTransposesAndMapsAreStrided) {
    Eigen::MatrixXf m(6, 8);
    auto block = m.block(1, 2, 3, 4);
    EXPECT_EQ(shown<2>(block, m.data()), "@13 3:1 4:6");
    auto turned = m.transpose();
    EXPECT_EQ(shown<2>(turned, m.data()), "@0 8:6 6:1");
    auto row = m.row(2);
    EXPECT_EQ(shown<1>(row, m.data()), "@2 8:6");
    EXPECT_EQ(shown<2>(row, m.data()), "@2 1:1 8:6");
    Eigen::Map<Eigen::MatrixXf, 0, Eigen::Stride<-1, -1>> map(m.data(), 2, 3, Eigen::Stride<-1, -1>(12, 2));
    EXPECT_EQ(shown<2>(map, m.data()), "@0 2:2 3:12");
    Eigen::Ref<Eigen::MatrixXf> ref = m.middleCols(1, 2);
    EXPECT_EQ(shown<2>(ref, m.data()), "@6 6:1 2:6");
}

TEST(View, EigenVectorsHaveOneDimOrTwo) {
    Eigen::VectorXd v(4);
    EXPECT_EQ(shown<1>(v, v.data()), "@0 4:1");
    EXPECT_EQ(shown<2>(v, v.data()), "@0 4:1 1:4");
    Eigen::RowVector3d r;
    EXPECT_EQ(shown<1>(r, r.data()), "@0 3:1");
}

TEST(View, EigenTensorsKeepTheirOrder) {
    Eigen::Tensor<float, 3> column(2, 3, 4);
    Eigen::Tensor<float, 3, Eigen::RowMajor> row(2, 3, 4);
    EXPECT_EQ(shown<3>(column, column.data()), "@0 2:1 3:2 4:6");
    EXPECT_EQ(shown<3>(row, row.data()), "@0 2:12 3:4 4:1");
    Eigen::TensorMap<Eigen::Tensor<const float, 2>> map(column.data(), 6, 4);
    EXPECT_EQ(shown<2>(map, column.data()), "@0 6:1 4:6");
    Eigen::TensorFixedSize<float, Eigen::Sizes<2, 5>> fixed;
    EXPECT_EQ(shown<2>(fixed, fixed.data()), "@0 2:1 5:2");
}

TEST(View, ListsHaveOneDim) {
    std::vector<int> list(7);
    EXPECT_EQ(shown<1>(list, list.data()), "@0 7:1");
    std::span<int> part(list.data() + 2, 3);
    EXPECT_EQ(shown<1>(part, list.data()), "@2 3:1");
    float array[3];
    EXPECT_EQ(shown<1>(array, array), "@0 3:1");
}

TEST(View, PointersTakeExtentsAndStrides) {
    std::vector<float> memory(60);
    auto dense = view(memory.data(), {3, memory.size() / 15, 5});
    EXPECT_EQ(shown<3>(dense, memory.data()), "@0 3:20 4:5 5:1");
    auto reversed = view(memory.data() + 59, {60}, {-1});
    EXPECT_EQ(shown<1>(reversed, memory.data()), "@59 60:-1");
    auto point = view(memory.data() + 3);
    EXPECT_EQ(shown<0>(point, memory.data()), "@3");
    float number = 0;
    EXPECT_EQ(shown<0>(number, &number), "@0");
}

TEST(View, AnArrayIsDenseAndAligned) {
    Array<float, 2> a({3, 5});
    EXPECT_EQ(shown<2>(a, a.data()), "@0 3:5 5:1");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    a(2, 4) = 7;
    EXPECT_EQ(a.data()[14], 7);
    EXPECT_FALSE((Array<double, 2>({std::int64_t{1} << 40, std::int64_t{1} << 40}).allocated()));
}

TEST(View, ElementTypesFollowTheCppType) {
    EXPECT_EQ(element_of<Eigen::half>(), Element::f16);
    EXPECT_EQ(element_of<Eigen::bfloat16>(), Element::bf16);
    EXPECT_EQ(element_of<bool>(), Element::boolean);
    EXPECT_EQ(element_of<long>(), Element::i64);
    EXPECT_EQ(element_of<long long>(), Element::i64);
    EXPECT_EQ(element_of<const unsigned char>(), Element::u8);
    EXPECT_EQ(element_of<unsigned long>(), Element::unknown);
    EXPECT_EQ(element_of<char>(), Element::unknown);
}

TEST(View, SixteenBitScalarsAreRoundedAsEigenRoundsThem) {
    const float values[] = {0.f,
                            -0.f,
                            1.f,
                            0.1f,
                            65504.f,
                            65519.f,
                            65520.f,
                            1e9f,
                            6.1e-5f,
                            6.0e-5f,
                            5.96e-8f,
                            2.98e-8f,
                            2.99e-8f,
                            1e-9f,
                            -3.14159f,
                            std::numeric_limits<float>::infinity(),
                            1.00048828125f,
                            1.00146484375f,
                            3.3e38f};
    for (const float value : values) {
        EXPECT_EQ(detail::to_float16(value).bits, Eigen::half(value).x) << value;
        EXPECT_EQ(detail::to_bfloat16(value).bits, Eigen::bfloat16(value).value) << value;
    }
    EXPECT_TRUE(std::isnan(static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(detail::to_float16(NAN).bits))));
}

}  // namespace
}  // namespace halogen
