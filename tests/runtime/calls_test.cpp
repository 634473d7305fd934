// Calls of compiled kernels: the kinds of tensors they take, scalars, outputs, errors of Halide, memory, threads.

#include "halogen/kernels/block_sums.h"
#include "halogen/kernels/chosen.h"
#include "halogen/kernels/conv.h"
#include "halogen/kernels/correlate.h"
#include "halogen/kernels/difference.h"
#include "halogen/kernels/either.h"
#include "halogen/kernels/extremes.h"
#include "halogen/kernels/fourth_of_rows.h"
#include "halogen/kernels/halves.h"
#include "halogen/kernels/looked_up.h"
#include "halogen/kernels/peaks.h"
#include "halogen/kernels/scale.h"
#include "halogen/kernels/some_channels.h"
#include "halogen/kernels/tally.h"
#include "halogen/kernels/with_first_row.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/memory.h"

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

extern std::atomic<long> halogen_test_allocations;  // count_allocations.cpp

namespace halogen {
namespace {

using kernels::block_sums;
using kernels::conv;
using kernels::correlate;
using kernels::difference;
using kernels::either;
using kernels::extremes;
using kernels::halves;
using kernels::peaks;
using kernels::scale;
using kernels::tally;

TEST(Call, TakesTensorsOfBothOrders) {  // 2 x 2 windows of ones: each output is the sum of four numbers, times 1
    Eigen::Tensor<float, 4, Eigen::RowMajor> x(1, 3, 4, 1), y(1, 2, 3, 1);
    Eigen::Tensor<float, 4> f(2, 2, 1, 1);
    for (int i = 0; i < 12; i++) x.data()[i] = static_cast<float>(i);
    f.setConstant(1);
    ASSERT_TRUE(conv(x, f, y));
    EXPECT_EQ(y(0, 0, 0, 0), 0 + 1 + 4 + 5);
    EXPECT_EQ(y(0, 1, 2, 0), 6 + 7 + 10 + 11);
    Eigen::Tensor<float, 4> column = x.swap_layout().shuffle(Eigen::array<int, 4>{3, 2, 1, 0}), out(1, 2, 3, 1);
    ASSERT_TRUE(conv(column, f, out));
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 3; c++) EXPECT_EQ(out(0, r, c, 0), y(0, r, c, 0));
    }
}

// The last tiles of a map overlap the ones before; what was written there must not be read again.
TEST(Call, WorksInPlaceBesideAnInputOfTheOtherOrder) {
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    for (const char* leg : {"sse41", "avx2"}) {
        for (const auto& [m, n] : {std::pair{19, 21}, {8, 17}, {400, 333}}) {
            const RowMajor a = RowMajor::Random(m, n);
            const Eigen::MatrixXf b = a;
            RowMajor rows = a * 3;
            Eigen::MatrixXf columns = rows;
            ASSERT_TRUE(difference(rows, b, rows, {.leg = leg}));
            EXPECT_EQ(rows, a * 3 - a) << leg;
            ASSERT_TRUE(difference(a, columns, columns, {.leg = leg}));
            EXPECT_EQ(columns, a - a * 3) << leg;
        }
    }
}

TEST(Call, SizesAreKnownWithoutTensorsForwardsAndBackwards) {
    constexpr kernels::conv_sizes::Sizes s{
        .N = 1, .H = 224, .W = 224, .C = 3, .R = 7, .S = 7, .K = 64, .T = 2, .D = 1, .P = 3};
    static_assert(kernels::conv_sizes::Y_1(s) == 112);
    static_assert(kernels::conv_sizes::least_H(s, 112) == 223);
    static_assert(kernels::conv_sizes::only_T(s, 112, 112) == 2);
    static_assert(!kernels::conv_sizes::only_R(s, 112));  // 7 and 8 both give 112
    static_assert(kernels::conv_sizes::broken(s) == nullptr);
}

TEST(Call, LearnsASizeFromTheOutputAloneAndChecksDataAgainstIt) {
    const Eigen::Vector<int, 4> place(2, 0, 2, 4);
    const Eigen::Vector<float, 4> weight(1, 2, 4, 8);
    Eigen::Vector<float, 5> counts = Eigen::Vector<float, 5>::Constant(99);
    ASSERT_TRUE(tally(place, weight, counts));
    EXPECT_EQ(counts, (Eigen::Vector<float, 5>(2, 0, 5, 0, 8)));
    Eigen::Vector<float, 4> small;
    const Status st = tally(place, weight, small);
    EXPECT_EQ(st.message(),
              "tally: I[n] = 4 is outside dim 0 of H, which has extent 4\n  at   n = 3, in H[I[n]] += W[n]");
    Eigen::VectorXf none;
    EXPECT_EQ(tally(place, weight, none).message(),
              "tally: I[n] = 2 is outside dim 0 of H, which has extent 0\n  at   n = 0, in H[I[n]] += W[n]");
}

TEST(Call, SizesTheOutputFromTheInputs) {
    Eigen::Tensor<float, 4, Eigen::RowMajor> x(2, 9, 7, 3), f(3, 3, 3, 5);
    const auto y = conv.make_output(x, f, {.T = 2, .P = 1});
    ASSERT_TRUE(y);
    EXPECT_EQ(y->extents(), (std::array<std::int64_t, 4>{2, 5, 4, 5}));
    Eigen::Tensor<float, 4, Eigen::RowMajor> wrong(3, 3, 4, 5);
    EXPECT_EQ(conv.make_output(x, wrong).status().code(), StatusCode::size);
}

TEST(Call, GivesSeveralOutputsAtOnce) {
    const std::vector<int> x{5, -7, 3};
    auto made = extremes.make_output(x);
    ASSERT_TRUE(made);
    auto& [least, most] = *made;
    ASSERT_TRUE(extremes(x, least, most));
    EXPECT_EQ(*least.data(), -7);
    EXPECT_EQ(*most.data(), 5);
    int low = 0, high = 0;
    ASSERT_TRUE(extremes(std::vector<int>{}, low, high));  // a reduction over nothing is its identity
    EXPECT_EQ(low, std::numeric_limits<int>::max());
    EXPECT_EQ(high, std::numeric_limits<int>::lowest());
}

TEST(Call, TakesHalfFloatsOfEigen) {  // 1.5 * 2 + 0.25 = 3.25 in all three types
    Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1> x =
        Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1>::Constant(21, Eigen::half(1.5f));
    Eigen::Matrix<Eigen::bfloat16, Eigen::Dynamic, 1> y(21);
    ASSERT_TRUE(halves(x, y, {.alpha = 2, .beta = 0.25f}));
    for (int i = 0; i < 21; i++) EXPECT_EQ(static_cast<float>(y(i)), 3.25f);
}

TEST(Call, OfAnArchiveKeepsWhatIsNoNumber) {  // the largest of what holds a NaN is one, wherever it stands
    for (int nan = 0; nan < 9; nan++) {
        Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1> x =
            Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1>::LinSpaced(9, Eigen::half(-3), Eigen::half(5));
        x(nan) = std::numeric_limits<Eigen::half>::quiet_NaN();
        Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1> y(5);
        ASSERT_TRUE(peaks(x, y, {.M = 5}));
        for (int i = 0; i < 5; i++) EXPECT_TRUE(std::isnan(static_cast<float>(y(i)))) << nan;
    }
}

TEST(Call, TakesBools) {
    const bool p[] = {false, false, true, true}, q[] = {false, true, false, true};
    bool y[4] = {};
    ASSERT_TRUE(either(p, q, y));
    EXPECT_TRUE(!y[0] && y[1] && y[2] && y[3]);
}

TEST(Call, TakesRequiredSizes) {
    const std::vector<int> x{1, 2, 3, 4, 5, 6, 7};
    std::vector<int> y(2);
    ASSERT_TRUE(block_sums(x, y, {.B = 3}));
    EXPECT_EQ(y, (std::vector<int>{6, 15}));
    static_assert(!std::is_default_constructible_v<kernels::block_sums_options>);
}

TEST(Call, ADefaultGivesWayToTheDimThatIsCalledLikeIt) {
    const std::vector<float> x{1, 2, 3, 4}, w{10, 1};
    auto y = correlate.make_output(x, w);  // of 2, and not of the 3 of the declaration
    ASSERT_TRUE(y);
    ASSERT_TRUE(correlate(x, w, *y));
    EXPECT_EQ(std::vector<float>(y->data(), y->data() + y->size()), (std::vector<float>{12, 23, 34}));
    EXPECT_EQ(correlate(x, w, *y, {.R = 3}).message(),
              "correlate: dim 0 of W has extent 2 but must be 3 = R\n"
              "  with R = 3\n"
              "  at   Y[m] += X[m + r]*W[r]");
}

TEST(Call, ReadsNothingBehindTheLastRowsOfATileWhereOtherReadsArePadded) {
    for (const cpu::Leg leg : testing::legs_here())
        for (const std::int64_t w : {3, 40, 1100})
            for (std::int64_t h = 1; h <= 9; h++) {
                testing::announce("with_first_row, " + std::to_string(h) + " rows, " + cpu::to_string(leg));
                const testing::Placed<float, 2> x({h, w}, testing::Layout::row_major, testing::Placement::at_end);
                x.visit([&](const testing::Extents<2>& at, std::int64_t) { x.at(at) = static_cast<float>(at[0] + 1); });
                std::vector<float> y(static_cast<std::size_t>(h));
                ASSERT_TRUE(kernels::with_first_row(view(static_cast<const float*>(x.data()), {h, w}), y,
                                                    {.leg = cpu::to_string(leg)}));
                for (std::int64_t r = 0; r < h; r++)
                    EXPECT_EQ(y[static_cast<std::size_t>(r)], static_cast<float>(w * (r + 1)));
            }
}

TEST(Call, ACopyOfWhatIsReadHoldsNoMoreThanThereIs) {
    for (const cpu::Leg leg : testing::legs_here())
        for (const std::int64_t rows : {1, 4, 16, 50, 150}) {
            testing::announce("fourth_of_rows, " + std::to_string(rows) + " rows, " + cpu::to_string(leg));
            const testing::Placed<std::uint8_t, 2> a({rows, 4}, testing::Layout::row_major, testing::Placement::at_end);
            a.visit([&](const testing::Extents<2>& at, std::int64_t) {
                a.at(at) = static_cast<std::uint8_t>(at[1] == 3 ? at[0] + 1 : 200);
            });
            std::vector<std::uint8_t> y(static_cast<std::size_t>(rows));
            ASSERT_TRUE(kernels::fourth_of_rows(view(static_cast<const std::uint8_t*>(a.data()), {rows, 4}),
                                                view(y.data(), {1, rows}), {.N = 1, .leg = cpu::to_string(leg)}));
            for (std::int64_t r = 0; r < rows; r++)
                EXPECT_EQ(y[static_cast<std::size_t>(r)], static_cast<std::uint8_t>(5 * (r + 1)));
        }
}

TEST(Call, ACopyOfSomeChannelsBeginsAtTheFirst) {
    for (const cpu::Leg leg : testing::legs_here())
        for (const std::int64_t channels : {5, 8, 16, 20}) {
            testing::announce("some_channels of " + std::to_string(channels) + ", " + cpu::to_string(leg));
            const std::int64_t h = 3, w = 4, k = 20;
            const testing::Placed<float, 3> x({h, w, channels}, testing::Layout::row_major,
                                              testing::Placement::at_begin);
            x.visit([&](const testing::Extents<3>& at, std::int64_t) { x.at(at) = at[2] < 5 ? 1.0f : 100.0f; });
            const std::vector<float> f(static_cast<std::size_t>(9 * 5 * k), 1.0f);
            std::vector<float> y(static_cast<std::size_t>(h * w * k));
            ASSERT_TRUE(kernels::some_channels(view(static_cast<const float*>(x.data()), {h, w, channels}),
                                               view(f.data(), {3, 3, 5, k}), view(y.data(), {h, w, k}),
                                               {.leg = cpu::to_string(leg)}));
            EXPECT_EQ(y.front(), 4 * 5);
            EXPECT_EQ(y[static_cast<std::size_t>((w + 1) * k)], 9 * 5);
        }
}

TEST(Call, DataInPlacesOfACopyAreReadNoFurtherThanTheyReach) {
    for (const cpu::Leg leg : testing::legs_here())
        for (std::int64_t rows = 1; rows <= 13; rows++) {  // of Y; each sums 3 products
            testing::announce("looked_up, " + std::to_string(rows) + " rows, " + cpu::to_string(leg));
            const std::int64_t columns = 20;
            const testing::Placed<std::int32_t, 1> v({rows + 2}, testing::Layout::row_major,
                                                     testing::Placement::at_end);
            v.visit([&](const testing::Extents<1>& at, std::int64_t i) { v.at(at) = static_cast<int>(i % 4); });
            const std::vector<float> e{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, g(60, 1.0f);
            std::vector<float> s(12), y(static_cast<std::size_t>(rows * columns));
            ASSERT_TRUE(kernels::looked_up(view(e.data(), {3, 4}),
                                           view(static_cast<const std::int32_t*>(v.data()), {rows + 2}),
                                           view(g.data(), {3, columns}), view(s.data(), {3, 4}),
                                           view(y.data(), {rows, columns}), {.leg = cpu::to_string(leg)}));
            for (std::int64_t i = 0; i < rows * columns; i++) {
                const std::int64_t u = i / columns;
                EXPECT_EQ(y[static_cast<std::size_t>(i)], static_cast<float>(3 + u % 4 + (u + 1) % 4 + (u + 2) % 4));
            }
        }
}

TEST(Call, AllocatesNothingWhenItSucceeds) {
    const Eigen::MatrixXf x = Eigen::MatrixXf::Ones(30, 20);
    Eigen::MatrixXf y(30, 20);
    ASSERT_TRUE(scale(x, y, {.alpha = 2, .threads = 1}));  // the first call sets things up
    const long before = halogen_test_allocations;
    const Status status = scale(x, y, {.alpha = 2, .threads = 1});
    EXPECT_EQ(halogen_test_allocations, before);
    EXPECT_TRUE(status);
}

std::string other_error;
void other_handler(void*, const char* text) { other_error = text; }

TEST(Call, PassesErrorsOfOtherLibrariesOn) {
    other_error.clear();
    halide_set_error_handler(&other_handler);
    detail::install_error_handler();  // in front of the other
    int foreign = 0;
    halide_error(nullptr, "of nobody");
    EXPECT_EQ(other_error, "of nobody");
    halide_error(&foreign, "of another library");
    EXPECT_EQ(other_error, "of another library");
    halide_error(reinterpret_cast<void*>(16), "of a number");
    EXPECT_EQ(other_error, "of a number");
    halide_error(std::bit_cast<void*>(std::uintptr_t{1} << 46), "of a handle");  // an address that nothing lies at
    EXPECT_EQ(other_error, "of a handle");
    {
        detail::CallContext ours;
        halide_error(&ours, "of ours");
        EXPECT_EQ(other_error, "of a handle");
        EXPECT_STREQ(ours.text, "of ours");
    }
}

TEST(Call, ACallBeyondTheListOfLiveOnesWaitsForAnotherToEnd) {
    auto live = std::make_unique<std::array<detail::CallContext, detail::most_live_contexts>>();
    for (detail::CallContext& context : *live) EXPECT_EQ(detail::our_context(&context), &context);
    std::atomic<bool> begun{false}, done{false};
    std::thread late([&] {
        begun = true;
        detail::CallContext context;
        done = detail::our_context(&context) == &context;
    });
    while (!begun) std::this_thread::yield();
    EXPECT_FALSE(done);
    live.reset();
    late.join();
    EXPECT_TRUE(done);
}

TEST(Call, MemoryIsKeptForTheNextOneUntilItIsReleased) {
    Eigen::MatrixXf x = Eigen::MatrixXf::Ones(4, 4), y(4, 4);
    ASSERT_TRUE(scale(x, y, {.alpha = 1}));
    halide_free(nullptr, halide_malloc(nullptr, 1 << 20));  // as kernels do for an intermediate
    EXPECT_EQ(detail::block_cache().kept() > 0, HALOGEN_KEEPS_MEMORY);
    release_memory();
    EXPECT_EQ(detail::block_cache().kept(), 0u);
}

TEST(Call, MemoryThatRunsOutIsAStatus) {
    Eigen::Tensor<float, 4, Eigen::RowMajor> x(1, 300, 300, 3), f(3, 3, 3, 64);
    x.setConstant(1);
    f.setConstant(1);
    auto y = conv.make_output(x, f);
    ASSERT_TRUE(y);
    halide_set_custom_malloc([](void*, std::size_t) -> void* { return nullptr; });
    const Status status = conv(x, f, *y);
    halide_set_custom_malloc(&halide_default_malloc);
    if (!status) {  // a schedule without heap memory has nothing to run out of
        EXPECT_EQ(status.code(), StatusCode::out_of_memory);
        EXPECT_EQ(status.message().substr(0, 44), "conv: no memory for an intermediate result\n ");
    }
    ASSERT_TRUE(conv(x, f, *y));
    EXPECT_EQ((*y)(0, 0, 0, 0), 27);
}

TEST(Call, OneElementOfATensorThatIsMadeInVectorsMayBeRead) {
    for (const cpu::Leg leg : testing::legs_here())
        for (int size = 1; size <= 20; size++)
            for (int chosen : {0, size / 2, size - 1}) {
                testing::announce("chosen, " + std::to_string(chosen) + " of " + std::to_string(size) + ", " +
                                  cpu::to_string(leg));
                const auto side = static_cast<std::size_t>(size);
                std::vector<double> u(side * side, -1), o(2, 7);
                for (std::size_t i = 0; i < side; i++) u[i * (side + 1)] = static_cast<double>(i + 1);
                const std::vector<std::uint8_t> g{static_cast<std::uint8_t>(chosen)};
                const Status status = kernels::chosen(view(u.data(), {size, size}), view(g.data(), {1}),
                                                      view(o.data(), {2}), {.leg = cpu::to_string(leg)});
                ASSERT_TRUE(status) << status.message();
                EXPECT_EQ(o[1], 2 * (chosen + 1));
            }
}

TEST(Call, ThreadsFollowTheOptionAndReturnToTheDefault) {
    Eigen::MatrixXf x = Eigen::MatrixXf::Ones(4, 4), y(4, 4);
    ASSERT_TRUE(scale(x, y, {.alpha = 1, .threads = 3}));
    EXPECT_EQ(halide_get_num_threads(), 3);
    ASSERT_TRUE(scale(x, y, {.alpha = 1}));
    EXPECT_EQ(halide_get_num_threads(), default_threads());
}

std::atomic<int> loops_of_the_pool{0};
int counting_loop(void* user_context, halide_task_t task, int min, int size, std::uint8_t* closure) {
    loops_of_the_pool++;
    return halide_default_do_par_for(user_context, task, min, size, closure);
}

TEST(Call, OnOneThreadLeavesThePoolAlone) {
    Eigen::MatrixXf x = Eigen::MatrixXf::Ones(1000, 1000), y(1000, 1000);
    ASSERT_TRUE(scale(x, y, {.alpha = 1, .threads = 2}));
    const halide_do_par_for_t before = detail::previous_loop().exchange(&counting_loop);
    ASSERT_TRUE(scale(x, y, {.alpha = 2, .threads = 2}));
    EXPECT_EQ(loops_of_the_pool, 1);
    ASSERT_TRUE(scale(x, y, {.alpha = 3, .threads = 1}));
    EXPECT_EQ(loops_of_the_pool, 1);
    EXPECT_TRUE((y.array() == 3).all());
    detail::previous_loop().store(before);
}

TEST(Call, TheQuotaOfAControlGroupBoundsTheThreads) {
    namespace fs = std::filesystem;
    const fs::path root = fs::temp_directory_path() / ("halogen_cgroup_" + std::to_string(getpid()));
    fs::create_directories(root);
    std::ofstream(root / "cpu.max") << "150000 100000\n";
    EXPECT_EQ(detail::quota_of(root.string()), 2);  // one and a half processors
    std::ofstream(root / "cpu.max") << "max 100000\n";
    EXPECT_EQ(detail::quota_of(root.string()), 0);
    fs::remove(root / "cpu.max");
    fs::create_directories(root / "cpu");
    std::ofstream(root / "cpu" / "cpu.cfs_quota_us") << "-1\n";
    std::ofstream(root / "cpu" / "cpu.cfs_period_us") << "100000\n";
    EXPECT_EQ(detail::quota_of(root.string()), 0);
    std::ofstream(root / "cpu" / "cpu.cfs_quota_us") << "400000\n";
    EXPECT_EQ(detail::quota_of(root.string()), 4);
    fs::remove_all(root);
}

}  // namespace
}  // namespace halogen
