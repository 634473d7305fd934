// Code for calls of which something is known: it is called where that holds, refused by name where it does not, and gives
// the values of the code that serves every call.

#include <halogen/kernels/scale.h>
#include <halogen/kernels/shade.h>
#include <halogen/kernels/soften.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace halogen {
namespace {

struct Call {
    std::int64_t H, W, C;
    int gap = 0;            // elements between rows of X
    int stride_of_one = 0;  // the stride that dims of extent 1 have; 0: that of a dense tensor

    bool dense() const { return gap == 0 || H * W * C == 0 || H * W == 1; }
};

struct Result {
    std::vector<float> Y, Z;
    Status status;
};

constexpr float untouched = -7;

Result called(const Call& call, std::string_view variant, std::string_view leg) {
    const std::int64_t pixel = call.C + call.gap;
    std::vector<float> x(static_cast<std::size_t>(call.H * call.W * pixel + 1)),
        gain(static_cast<std::size_t>(call.C + 1));
    for (std::size_t i = 0; i < x.size(); i++) x[i] = static_cast<float>(i % 31);
    for (std::size_t c = 0; c < gain.size(); c++) gain[c] = static_cast<float>(c + 1);
    Result result{std::vector<float>(static_cast<std::size_t>(call.H * call.W * call.C + 1), untouched),
                  std::vector<float>(static_cast<std::size_t>(call.H * call.W + 1), untouched),
                  {}};
    const auto stride = [&](std::int64_t extent, std::int64_t dense) {
        return extent == 1 && call.stride_of_one ? call.stride_of_one : dense;
    };
    const auto X = view(x.data(), {call.H, call.W, call.C},
                        {stride(call.H, call.W * pixel), stride(call.W, pixel), stride(call.C, 1)});
    const auto Y = view(result.Y.data(), {call.H, call.W, call.C},
                        {stride(call.H, call.W * call.C), stride(call.W, call.C), stride(call.C, 1)});
    result.status = kernels::shade(X, view(gain.data(), {call.C}), Y, view(result.Z.data(), {call.H, call.W}),
                                   {.S = 2, .leg = leg, .variant = variant});
    return result;
}

bool holds(const std::string& variant, const Call& call) {
    if (variant == "C3") return call.C == 3;
    if (variant == "C4" || variant == "C1") return call.C == (variant == "C4" ? 4 : 1) && call.dense();
    if (variant == "for2") return call.W <= 4 && call.H == 2 * call.W;
    return variant != "merged" || call.dense();
}

std::vector<std::string> legs() {
    std::vector<std::string> names{"sse41"};
    if (cpu::can_run(cpu::Leg::avx2)) names.emplace_back("avx2");
    return names;
}

TEST(Variants, ForcedGiveTheValuesOfAnyWhereTheirFactsHoldAndAreRefusedElsewhere) {
    int served = 0, refused = 0;
    for (const std::int64_t H : {0, 1, 2, 8, 10})
        for (const std::int64_t W : {0, 1, 4, 5, 17})
            for (const std::int64_t C : {0, 1, 2, 3, 4})
                for (const int gap : {0, 2})
                    for (const int one : {0, 1000})
                        for (const std::string& leg : legs()) {
                            const Call call{H, W, C, gap, one};
                            const Result any = called(call, "any", leg);
                            ASSERT_TRUE(any.status) << any.status.message();
                            for (const std::string variant : {"C3", "for2", "C4", "C1", "merged", ""}) {
                                const Result result = called(call, variant, leg);
                                ASSERT_EQ(result.status.ok(), variant.empty() || holds(variant, call))
                                    << variant << " at " << H << "x" << W << "x" << C << ": "
                                    << result.status.message();
                                (result.status ? served : refused)++;
                                if (!result.status) {
                                    EXPECT_EQ(result.status.code(), StatusCode::variant);
                                    EXPECT_EQ(result.Y, std::vector<float>(result.Y.size(), untouched))
                                        << "nothing is written";
                                    continue;
                                }
                                EXPECT_EQ(result.Y, any.Y) << variant << " at " << H << "x" << W << "x" << C;
                                EXPECT_EQ(result.Z, any.Z) << variant << " at " << H << "x" << W << "x" << C;
                                EXPECT_EQ(result.Y.back(), untouched);
                                EXPECT_EQ(result.Z.back(), untouched);
                            }
                        }
    EXPECT_GT(served, 1000);
    EXPECT_GT(refused, 500);
}

TEST(Variants, RefusalsSayWhatTheyAskFor) {
    const auto message = [](const Call& call, std::string_view variant) {
        return std::string(called(call, variant, "sse41").status.message());
    };
    EXPECT_EQ(message({2, 5, 4}, "C3"),
              "shade: variant C3 does not serve this call, which must have C == 3\n"
              "  fix  leave the choice to the kernel");
    EXPECT_EQ(
        message({2, 5, 3, 1}, "merged"),
        "shade: variant merged does not serve this call, which must have dense(X) and dense(gain) and dense(Y) and "
        "dense(Z)\n  fix  leave the choice to the kernel");
    EXPECT_EQ(message({2, 5, 3}, "rows"), "shade: unknown variant rows\n  fix  one of C3, for2, C4, C1, merged, any");
}

TEST(Variants, MergedTakeWhatOnlyTheCallersDimsTell) {
    for (const std::int64_t C : {0, 1, 2, 3, 5})
        for (const std::int64_t W : {2, 3, 16, 33})
            for (const std::string& leg : legs()) {
                constexpr std::int64_t H = 3;
                const auto size = static_cast<std::size_t>(H * W * C);
                std::vector<float> x(size + 1), y(size + 1, untouched), wanted(size + 1, untouched);
                for (std::size_t i = 0; i < x.size(); i++) x[i] = static_cast<float>(i % 37);
                const auto at = [&](std::int64_t row, std::int64_t column, std::int64_t c) {
                    return static_cast<std::size_t>((row * W + std::clamp<std::int64_t>(column, 0, W - 1)) * C + c);
                };
                for (std::int64_t row = 0; row < H; row++)
                    for (std::int64_t column = 0; column < W; column++)
                        for (std::int64_t c = 0; c < C; c++)
                            wanted[at(row, column, c)] =
                                (x[at(row, column - 1, c)] + x[at(row, column + 1, c)]) / static_cast<float>(C);
                const auto X = view(x.data(), {H, W, C});
                const auto Y = view(y.data(), {H, W, C});
                const Status status = kernels::soften(X, Y, {.leg = leg, .variant = "merged"});
                ASSERT_TRUE(status) << status.message();
                for (std::size_t i = 0; i < y.size(); i++)
                    EXPECT_FLOAT_EQ(y[i], wanted[i]) << i << " of " << W << " pixels of " << C << ", " << leg;
            }
}

TEST(Variants, WorkInPlaceWhereTheKernelMay) {
    for (const std::string_view variant : {"merged", "any"}) {
        std::vector<float> x(70);
        for (std::size_t i = 0; i < x.size(); i++) x[i] = static_cast<float>(i);
        const auto X = view(x.data(), {10, 7});
        const Status status = kernels::scale(X, X, {.alpha = 3, .variant = variant});
        ASSERT_TRUE(status) << status.message();
        for (std::size_t i = 0; i < x.size(); i++) EXPECT_EQ(x[i], static_cast<float>(3 * i)) << variant;
    }
}

}  // namespace
}  // namespace halogen
