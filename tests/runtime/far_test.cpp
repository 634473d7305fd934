// Elements further apart than 2^31 bytes: right answers while places fit 32 bits as counts of elements, a status beyond.

#include "halogen/kernels/conv.h"
#include "halogen/kernels/difference.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace halogen {
namespace {

using kernels::conv;
using kernels::difference;

constexpr std::int64_t far = (std::int64_t{1} << 30) - 64;  // elements: 4 GiB but for 256 bytes

/// Twelve gigabytes of address space; only what is touched becomes memory.
class Far : public testing::Test {
protected:
    void SetUp() override {
        void* const mapped =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) GTEST_SKIP() << "this system reserves memory for all that is mapped";
        memory_ = static_cast<float*>(mapped);
    }
    void TearDown() override {
        if (memory_) munmap(memory_, bytes);
    }

    static constexpr std::size_t bytes = std::size_t{12} << 30;
    float* memory_ = nullptr;
};

float& at(const View<float, 2>& v, std::int64_t i, std::int64_t j) {
    return v.data[i * v.strides[0] + j * v.strides[1]];
}

/// Tensors x, z and y of one shape: y = x - z in every place, on every leg.
void expect_differences(const View<float, 2>& x, const View<float, 2>& z, const View<float, 2>& y) {
    for (int i = 0; i < x.extents[0]; i++) {
        for (int j = 0; j < x.extents[1]; j++) {
            at(x, i, j) = static_cast<float>(100 * i + j);
            at(z, i, j) = static_cast<float>(7 * i * j);
        }
    }
    for (const char* leg : {"sse41", "avx2"}) {
        const Status st = difference(x, z, y, {.leg = leg});
        ASSERT_TRUE(st) << st.message();
        for (int i = 0; i < x.extents[0]; i++) {
            for (int j = 0; j < x.extents[1]; j++)
                ASSERT_EQ(at(y, i, j), 100 * i + j - 7 * i * j) << leg << ' ' << i << ' ' << j;
        }
    }
}

TEST_F(Far, RowsFourGigabytesApart) {
    for (const int n : {1, 7, 19})
        expect_differences(view(memory_, {2, n}, {far, 1}), view(memory_ + 32, {2, n}, {far, 1}),
                           view(memory_ + 64, {2, n}, {far, 1}));
}

TEST_F(Far, ColumnsFourGigabytesApartBesideDenseOnes) {
    std::vector<float> dense(2 * 19), out(2 * 19);
    expect_differences(view(memory_, {19, 2}, {1, far}), view(dense.data(), {19, 2}, {2, 1}),
                       view(out.data(), {19, 2}, {1, 19}));
}

TEST_F(Far, RowsInFallingAddresses) {
    expect_differences(view(memory_ + far, {2, 9}, {-far, 1}), view(memory_ + 32 + far, {2, 9}, {-far, 1}),
                       view(memory_ + 64, {2, 9}, {far, 1}));
}

TEST_F(Far, WindowsOfAnImageWithFarRows) {  // one filter of ones: sums of 2 x 2 elements
    const auto x = view(memory_, {1, 2, 20, 1}, {1, far, 1, 1});
    std::vector<float> ones(4, 1), sums(19);
    for (int i = 0; i < 20; i++) memory_[i] = memory_[far + i] = static_cast<float>(i);
    const Status st = conv(x, view(ones.data(), {2, 2, 1, 1}), view(sums.data(), {1, 1, 19, 1}));
    ASSERT_TRUE(st) << st.message();
    for (int i = 0; i < 19; i++) EXPECT_EQ(sums[i], 4 * i + 2);
}

TEST_F(Far, PlacesThatDoNotFit32BitsAreRefused) {
    std::vector<float> dense(3 * 2);
    const Status st =
        difference(view(memory_, {3, 2}, {far, 1}), view(dense.data(), {3, 2}), view(dense.data(), {3, 2}));
    EXPECT_EQ(std::string(st.message()),
              "difference: X spans more than 2^31 - 1 elements of memory\n"
              "  fix  call the kernel on parts of it");
}

}  // namespace
}  // namespace halogen
