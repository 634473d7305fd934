// Ways through the branches of a long history: which are variants of their own, what they ask of a call, and that each computes what the
// interpreter does around the edges of what it asks.

#include "schedules/history/replay.h"
#include "tests/schedule/rewritten.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

std::string ways(const std::string& text, const std::string& leg, const VariantWishes& wishes = {}) {
    const Kernel kernel = kernel_of(text);
    std::string lines;
    for (const Variant& v : variants_of(kernel, open_solution(kernel), *find_leg(leg), wishes))
        lines += called(v) + ": " + print(v.when) + "\n";
    return lines;
}

const char* const product = "kernel f(A: f32[M, K], B: f32[K, N]) -> C: f32 { C[i, j] += A[i, k]*B[k, j] }";
const char* const colours = "kernel f(X: f32[H, W, C], M: f32[K, C]) -> Y: f32 { Y[y, x, k] += X[y, x, c]*M[k, c] }";
const char* const windows =
    "kernel f(X: f32[H, W, C], R: size) -> Y: f32 { Y[y, x, c] max= X[y + r, x + s, c] where r in 0:R, s in 0:3 }";

TEST(Ways, ThroughTheBranchesOfALongHistoryAreVariantsOfALeg) {
    EXPECT_EQ(ways(product, "avx2"),
              "mixed: N <= 1 and K <= 4 and 32 <= M\n"
              "few: stride(B, 1) == 1 and M <= 8 and 8 <= N\n"
              "few_dots: stride(A, 1) == 1 and stride(B, 0) == 1 and M <= 24 and 32 <= max(1, K)\n"
              "few_turned: stride(A, 0) == 1 and N <= 4 and 8 <= M\n"
              "columns: stride(A, 1) == 1 and N <= 4 and 32 <= max(1, K)\n"
              "turned: stride(C, 0) < stride(C, 1) and 8 <= M\n"
              "narrow: N <= 47 and (N + 15) % 16 + 1 <= 8 and min(25, 25*max(0, N - 8)) <= M\n"
              "any: \n");
    EXPECT_EQ(ways(product, "avx512").substr(0, ways(product, "avx512").find("narrow")),
              "mixed: N <= 1 and K <= 4 and 64 <= M\n"
              "few: stride(B, 1) == 1 and M <= 8 and 16 <= N\n"
              "several: stride(B, 1) == 1 and M <= 16 and 16 <= N and stride(A, 1) == 1\n"
              "few_dots: stride(A, 1) == 1 and stride(B, 0) == 1 and M <= 24 and 64 <= max(1, K)\n"
              "few_turned: stride(A, 0) == 1 and N <= 8 and 16 <= M\n"
              "columns: stride(A, 1) == 1 and N <= 4 and 64 <= max(1, K)\n"
              "turned: stride(C, 0) < stride(C, 1) and 16 <= M\n")
        << "vectors of another leg have other lengths";
}

TEST(Ways, ThatHaveNoRoomStayBranches) {
    for (const int most : {1, 7}) EXPECT_EQ(ways(product, "avx2", {.most = most}), "any: \n");
    EXPECT_EQ(ways(product, "avx2", {.most = 8}), ways(product, "avx2"));
    const Kernel kernel = kernel_of(product);
    const Solution open = open_solution(kernel);
    const auto steps = [&](const Variant& variant) {
        return count_steps(recipe_of({kernel, open}, variant, *find_leg("avx2"), {}));
    };
    for (const Variant& variant : variants_of(kernel, open, *find_leg("avx2")))
        EXPECT_LE(steps(variant), 22) << called(variant);
    EXPECT_GT(steps(variants_of(kernel, open, *find_leg("avx2"), {.most = 1}).back()), 60);
}

TEST(Ways, OfAShortHistoryOrOneThatIsMostlyForEveryCallStayBranches) {
    for (const char* text :
         {"kernel f(X: f32[N, K]) -> Y: f32 { M[n] max= X[n, k]; E[n, k] = exp(X[n, k] - M[n]); S[n] += E[n, k]; "
          "Y[n, k] = E[n, k]/S[n] }",
          "kernel f(X: f32[N, K], Y: f32[N]) -> Z: f32 { M[n] max= X[n, k]; E[n, k] = exp(X[n, k] - M[n]); "
          "S[n] += E[n, k]; Q[n] += X[n, k]*X[n, k]; P[n] += X[n, k]*E[n, k]; Z[n, k] = E[n, k]/S[n] + Q[n]*P[n]*Y[n] "
          "}"})
        EXPECT_EQ(ways(text, "avx2"), "any: \n") << text;
}

TEST(Ways, ThatAskForTheThreadsOfACallAreVariantsOfAShortHistoryToo) {
    EXPECT_EQ(ways("kernel f(X: f32[M, N]) -> Y: f32 { Y[j] += X[i, j] }", "avx2"),
              "turned: stride(X, 0) < stride(X, 1)\n"
              "vectors_alone: stride(X, 1) == 1 and threads() <= 1\n"
              "vectors_pages: stride(X, 1) == 1 and 1024 <= N\n"
              "vectors: stride(X, 1) == 1\nany: \n");
    const std::string twice = "T[i] += A[i, j]*X[j]; Y[j] += A[i, j]*T[i]";
    EXPECT_EQ(ways("kernel f(A: f32[M, N], X: f32[N]) -> Y: f32 { " + twice + " }", "avx2"),
              "turned: stride(A, 0) < stride(A, 1)\n"
              "vectors_together: stride(A, 1) == 1 and threads() <= 1 and N <= 4096\n"
              "vectors_alone: stride(A, 1) == 1 and threads() <= 1\n"
              "vectors_pages: stride(A, 1) == 1 and 1024 <= N\n"
              "vectors: stride(A, 1) == 1\nany: \n");
    EXPECT_EQ(ways("kernel f(A: f32[M, N], X: f32[N]) -> (Y: f32, Z: f32) { " + twice + "; Z[i] = T[i] }", "avx2")
                  .find("together"),
              std::string::npos)
        << "somebody else reads it";
}

TEST(Ways, OfOneOutputTakeNoBranchFromAnother) {
    const Kernel kernel = kernel_of(
        "kernel f(A: f32[N, M], P: f32[M], R: f32[N]) -> (S: f32[M], Q: f32[N]) { S[j] += A[i, j]*R[i]; "
        "Q[i] += A[i, j]*P[j] }");
    const Solution open = open_solution(kernel);
    const auto variants = variants_of(kernel, open, *find_leg("avx2"));
    EXPECT_EQ(called(variants.front()), "turned_alone");
    const std::string any = print(recipe_of({kernel, open}, variants.back(), *find_leg("avx2"), {}));
    EXPECT_NE(any.find("S.0 specialize when threads() <= 1"), std::string::npos) << any;
    EXPECT_NE(any.find("S.0 specialize when stride(A, 0) < stride(A, 1)"), std::string::npos) << "every second element";
    EXPECT_EQ(any.find("stride(A, 0) == 1"), std::string::npos) << "all that lies so is turned";
}

TEST(Ways, OfOneOutputLeaveAnotherItsVectors) {
    const Kernel kernel = kernel_of(
        "kernel yuv(X: u8[2*H, 2*W, 3]) -> (Y: u8[2*H, 2*W], U: u8[H, W], V: u8[H, W]) { "
        "Y[y, x] = u8(0.3*f32(X[y, x, 0]) + 0.6*f32(X[y, x, 1]) + 0.1*f32(X[y, x, 2])); "
        "P[y, x, c] += f32(X[2*y + a, 2*x + b, c]) where a in 0:2, b in 0:2; "
        "U[y, x] = u8((P[y, x, 2] - P[y, x, 0])/8 + 128); V[y, x] = u8((P[y, x, 0] - P[y, x, 1])/8 + 128) }");
    const Solution open = open_solution(kernel);
    int ways = 0;
    for (const Variant& variant : variants_of(kernel, open, *find_leg("avx512"))) {
        if (variant.way.empty()) continue;
        const Form form = form_of(kernel, open, variant);
        const std::string steps = print(recipe_of(form, variant, *find_leg("avx512"), {}));
        EXPECT_NE(steps.find("Y.0 vectorize x by 64"), std::string::npos) << steps;
        ways++;
    }
    EXPECT_GT(ways, 0);
}

TEST(Ways, OfMergedDimsAskInTheSizesOfTheKernel) {
    const std::string text = ways(colours, "avx2");
    for (const char* line : {"merged_mixed: dense(X) and dense(M) and dense(Y) and K <= 1 and C <= 4 and 32 <= H*W\n",
                             "\nmixed: K <= 1 and C <= 4 and 32 <= W\n"})
        EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Ways, OfRowsAreForRowsThatLieSideBySide) {
    const char* const beside =
        "kernel f(X: f32[H, W pad 1, C], R: size) -> Y: f32 { Y[y, x, c] max= X[y + r, x + s - 1, c] where r in 0:R, s "
        "in 0:3 "
        "}";
    EXPECT_NE(ways(beside, "avx2").find("tile8: 8 <= C and stride(X, 2) == 1 and stride(Y, 2) == 1\n"),
              std::string::npos)
        << ways(beside, "avx2");
}

/// The strides of a dense tensor whose dims lie the other way round in memory.
std::vector<std::int64_t> column_major_strides(std::vector<std::int64_t> extents) {
    std::reverse(extents.begin(), extents.end());
    std::vector<std::int64_t> strides = row_major_strides(extents);
    std::reverse(strides.begin(), strides.end());
    return strides;
}

/// The call with its tensors row-major, and with each choice of them the other way round.
std::vector<CallData> in_all_orders(const Kernel& kernel, const CallData& dense) {
    std::vector<CallData> calls{dense};
    const auto also = [&](auto&& turn) {
        const std::vector<CallData> before = calls;
        for (CallData call : before) {
            turn(call);
            calls.push_back(call);
        }
    };
    for (const Tensor* input : kernel.inputs())
        also([&](CallData& call) {
            HostTensor& tensor = call.inputs.at(input->name);
            tensor = laid_out(tensor, column_major_strides(tensor.extents()));
        });
    for (const Tensor* output : kernel.outputs())
        also([&](CallData& call) {
            call.output_strides[output->name] = column_major_strides(extents_of(call.numbers, output->name));
        });
    return calls;
}

/// One call's sizes for each of `values`, in the order of the names.
std::vector<Settings> settings_of(const std::vector<std::string>& names,
                                  const std::vector<std::vector<std::int64_t>>& values) {
    std::vector<Settings> sizes(values.size());
    for (std::size_t call = 0; call < values.size(); call++)
        for (std::size_t n = 0; n < names.size(); n++) sizes[call][names[n]] = values[call][n];
    return sizes;
}

/// All variants of every leg of this machine, at tensors of these sizes, row-major or, with `turn`, in all orders.
void expect_ways_as_interpreted(const std::string& text, const std::vector<Settings>& sizes, bool turn = false) {
    SCOPED_TRACE(text);
    const Kernel kernel = kernel_of(text);
    std::vector<CallData> calls;
    for (const Settings& size : sizes) {
        const CallData dense = call_of(kernel, size);
        const std::vector<CallData> orders = turn ? in_all_orders(kernel, dense) : std::vector{dense};
        calls.insert(calls.end(), orders.begin(), orders.end());
    }
    for (const Leg& leg : all_legs())
        if (runs_here(leg))
            expect_each_as_interpreted(kernel, leg, variants_of(kernel, open_solution(kernel), leg), calls);
}

TEST(Ways, OfProductsComputeWhatTheLoopsDo) {
    expect_ways_as_interpreted(
        product,
        settings_of({"M", "N", "K"}, {{1, 2048, 3}, {2, 2047, 5}, {2, 2049, 1}, {3, 255, 4},  {3, 256, 9},  {8, 257, 2},
                                      {9, 513, 8},  {16, 512, 3}, {31, 1, 4},   {2048, 1, 2}, {2047, 2, 3}, {24, 9, 64},
                                      {23, 3, 129}, {32, 1, 4},   {65, 1, 3},   {64, 1, 5},   {25, 8, 7},   {24, 17, 7},
                                      {60, 17, 7},  {60, 40, 3},  {60, 48, 3},  {7, 65, 70},  {7, 1, 15},   {6, 2, 17},
                                      {5, 3, 63},   {6, 4, 64},   {3, 5, 65},   {1, 1, 1},    {0, 5, 5},    {5, 5, 0}}),
        true);
}

TEST(Ways, OfProductsOfBytesComputeWhatTheLoopsDo) {
    // Rows are shorter and longer than a strip, which is of 2048 bytes.
    expect_ways_as_interpreted("kernel p(A: u8[M, K], B: u8[K, N]) -> C: u8 { C[i, j] += A[i, k]*B[k, j] }",
                               settings_of({"M", "N", "K"}, {{2, 100, 70},
                                                             {1, 2050, 3},
                                                             {3, 64, 1},
                                                             {300, 1, 3},
                                                             {16, 257, 5},
                                                             {1, 8200, 2},
                                                             {2050, 2, 5},
                                                             {64, 8, 9},
                                                             {17, 3, 260},
                                                             {40, 300, 33},
                                                             {300, 40, 33},
                                                             {5, 3, 7}}),
                               true);
}

TEST(Ways, OfMixedColoursComputeWhatTheLoopsDo) {
    expect_ways_as_interpreted(colours,
                               settings_of({"H", "W", "C", "K"}, {{2, 15, 3, 3},
                                                                  {3, 7, 3, 1},
                                                                  {4, 8, 4, 1},
                                                                  {9, 8, 2, 1},
                                                                  {1, 24, 64, 5},
                                                                  {4, 6, 33, 40},
                                                                  {2, 12, 33, 5},
                                                                  {2, 12, 130, 70},
                                                                  {2, 70, 3, 1},
                                                                  {5, 5, 64, 3},
                                                                  {3, 7, 16, 2},
                                                                  {2, 9, 65, 2},
                                                                  {4, 5, 130, 4},
                                                                  {6, 11, 5, 8},
                                                                  {7, 9, 3, 9},
                                                                  {9, 9, 7, 17},
                                                                  {9, 9, 7, 64},
                                                                  {1, 1, 1, 1}}),
                               true);
}

TEST(Ways, OfWindowsComputeWhatTheLoopsDo) {
    std::vector<Settings> sizes;
    for (const int c : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130})
        sizes.push_back({{"H", 6}, {"W", 7}, {"C", c}, {"R", 2}});
    expect_ways_as_interpreted(windows, sizes, true);
}

TEST(Ways, OfSumsOverEitherDimComputeWhatTheLoopsDo) {
    std::vector<Settings> sizes;
    for (const int n : {1, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1024, 2047, 2048, 2049, 4096, 4100})
        for (const int m : {3, 11}) sizes.push_back({{"M", m}, {"N", n}}), sizes.push_back({{"M", n}, {"N", m}});
    expect_ways_as_interpreted("kernel f(X: f32[M, N]) -> Y: f32 { Y[j] += X[i, j] }", sizes, true);
    expect_ways_as_interpreted("kernel f(X: f32[M, N]) -> Y: f32 { Y[i] max= X[i, j] }", sizes, true);
    expect_ways_as_interpreted("kernel f(A: f32[M, N], x: f32[N]) -> y: f32 { y[i] += A[i, j]*x[j] }", sizes, true);
}

TEST(Ways, OfSumsOverTheSameMatrixTwiceComputeWhatTheLoopsDo) {
    std::vector<Settings> sizes;
    for (const int n : {1, 17, 65, 1025, 4097})
        for (const int m : {1, 8, 17}) sizes.push_back({{"M", m}, {"N", n}});
    expect_ways_as_interpreted(
        "kernel f(A: f64[M, N], X: f64[N]) -> Y: f64 { T[i] += A[i, j]*X[j]; Y[j] += A[i, j]*T[i] }", sizes, true);
    expect_ways_as_interpreted(
        "kernel f(A: f32[M, N], X: f32[N], B: f32[M]) -> Y: f32 { T[i] += A[i, j]*X[j]; P[i] = sigmoid(T[i]) - B[i]; "
        "Y[j] += A[i, j]*(P[i] - B[i]) }",
        sizes, true);
}

TEST(Ways, OfLongConvolutionsComputeWhatTheLoopsDo) {
    std::vector<Settings> sizes;
    for (const auto& [c, k, w] : {std::tuple{3, 8, 20},
                                  {5, 8, 30},
                                  {4, 16, 14},
                                  {700, 8, 15},
                                  {700, 9, 13},
                                  {1400, 64, 3},
                                  {1400, 3, 7},
                                  {4, 4, 30},
                                  {700, 128, 4},
                                  {3, 8, 5}})
        sizes.push_back({{"N", 1}, {"H", 3}, {"W", w}, {"C", c}, {"K", k}, {"R", 1}, {"S", 3}});
    expect_ways_as_interpreted(
        "kernel f(X: f32[N, H, W pad 1, C], F: f32[R, S, C, K]) -> Y: f32 { "
        "Y[n, y, x, k] += X[n, y + r, x + s - 1, c]*F[r, s, c, k] }",
        sizes);
}

}  // namespace
}  // namespace halogen
