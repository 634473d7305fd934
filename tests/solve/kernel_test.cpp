// Sizes of kernels in the notation: forward, backward, sideways, symbolic; strides, views, keys, and what is printed.

#include "frontend/notation/key.h"
#include "frontend/solve/report.h"
#include "generators/emit/cpp.h"
#include "generators/emit/solution.h"
#include "generators/emit/solve_json.h"
#include "tests/solve/solved.h"

#include <gmock/gmock.h>

#include <chrono>

namespace halogen {
namespace {

using test::address;
using test::conv2d;
using test::guards;
using test::guards_hold;
using test::kernel_of;
using test::size;
using test::solved;
using testing::ElementsAre;
using testing::IsEmpty;

const Settings all_open{{"T", std::nullopt}, {"D", std::nullopt}, {"P", std::nullopt}};

TEST(Solve, Conv2dWithNothingSetGivesTheFloorFormula) {
    const auto s = solved(conv2d, all_open);
    EXPECT_THAT(s.symbols, ElementsAre("N", "H", "W", "C", "R", "S", "K", "T", "D", "P"));
    EXPECT_EQ(size(s, "OH"), "(H + 2*P - D*(R - 1) - 1)/T + 1");
    EXPECT_EQ(size(s, "OW"), "(2*P + W - D*(S - 1) - 1)/T + 1");
    EXPECT_THAT(guards(s), ElementsAre("D*(R - 1) + 1 <= H + 2*P", "D*(S - 1) + 1 <= 2*P + W", "1 <= T"));
    EXPECT_EQ(address(s, "X"), "-C*P*(W + 1); c: 1 n: C*H*W r: C*D*W s: C*D x: C*T y: C*T*W");
    EXPECT_EQ(s.sources.at("C"), (SymbolSource{"X", 3}));
    EXPECT_EQ(s.sources.at("T"), SymbolSource{});
}

TEST(Solve, DefaultsApplyUnlessTheParameterIsOpened) {
    EXPECT_EQ(size(solved(conv2d), "OH"), "H - R + 1");
    EXPECT_EQ(size(solved(conv2d, {{"P", std::nullopt}}), "OH"), "H + 2*P - R + 1");
    EXPECT_EQ(size(solved(conv2d, {{"T", 2}}), "OH"), "(H - R + 2)/2");
}

TEST(Solve, Conv2dForwardInNumbers) {  // (224 + 2 - 3)/2 + 1 = 112
    const auto s =
        solved(conv2d, {{"N", 1}, {"H", 224}, {"W", 224}, {"C", 3}, {"R", 3}, {"S", 3}, {"K", 8}, {"T", 2}, {"P", 1}});
    EXPECT_EQ(size(s, "OH"), "112");
    EXPECT_EQ(address(s, "X"), "-675; c: 1 n: 150528 r: 672 s: 3 x: 6 y: 1344");  // -(224 + 1)*3
    EXPECT_THAT(s.symbols, IsEmpty());
}

TEST(Solve, Conv2dBackwardChoosesTheLeastInput) {  // 2*(112 - 1) + 3 - 2 = 223
    const auto s = solved(conv2d, {{"OH", 112}, {"OW", 112}, {"R", 3}, {"S", 3}, {"T", 2}, {"P", 1}});
    EXPECT_EQ(size(s, "H"), "223");
    EXPECT_THAT(s.symbols, ElementsAre("N", "C", "K"));
}

TEST(Solve, BackwardBesideOpenWindowsIsAFormula) {  // H = 2*(112 - 1) + R - 2
    const auto s = solved(conv2d, {{"OH", 112}, {"OW", 112}, {"T", 2}, {"P", 1}});
    EXPECT_EQ(size(s, "H"), "R + 220");
    EXPECT_EQ(size(s, "R"), "R");
}

TEST(Solve, SidewaysFindsTheWindow) {  // 10 - 8 + 1
    EXPECT_EQ(size(solved("Y[y] += X[y + k]*W[k]", {{"X.0", 10}, {"Y.0", 8}}), "W.0"), "3");
}

TEST(Solve, SidewaysFindsAStride) {  // (21 - 3)/T + 1 = 7 only for T = 3
    const auto s = solved("kernel c(X: f32[H], W: f32[R], T: size) -> Y: f32[OH] { Y[y] += X[T*y + r]*W[r] }",
                          {{"H", 21}, {"R", 3}, {"OH", 7}});
    EXPECT_EQ(size(s, "T"), "3");
}

TEST(Solve, BareMatmulHasOneSymbolPerClassOfEqualExtents) {
    const auto s = solved("C[i,j] += A[i,k]*B[k,j]");
    EXPECT_THAT(s.symbols, ElementsAre("A.0", "A.1", "B.1"));
    EXPECT_THAT(guards(s), ElementsAre("A.1 == B.0"));
    EXPECT_EQ(s.guards[0].reason, "index `k` has one extent in A[i, k] and B[k, j]");
    EXPECT_EQ(s.sources.at("B.0"), (SymbolSource{"B", 0}));
    EXPECT_EQ(address(s, "B"), "0; j: 1 k: B.1");
    EXPECT_EQ(print(s.indices[0].at("k").extent), "A.1");
    EXPECT_TRUE(s.indices[0].at("k").reduced);
}

TEST(Solve, AGivenSizeSharpensAllItsClass) {
    const auto s = solved("C[i,j] += A[i,k]*B[k,j]", {{"A.1", 5}});
    EXPECT_EQ(size(s, "B.0"), "5");
    EXPECT_THAT(guards(s), IsEmpty());
}

TEST(Solve, StridedWindowCoversTheLastOutput) {  // last read is 2*(8-1) + (3-1) = 16, so 17 elements
    EXPECT_EQ(size(solved("Out[x] += In[2*x + k] * W[k]", {{"x", 8}, {"k", 3}}), "In.0"), "17");
}

TEST(Solve, SoftmaxPinsEverythingByRuleOne) {
    const auto s = solved(
        "kernel softmax(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; "
        "Y[b, n] = E[b, n] / S[b] }");
    EXPECT_EQ(size(s, "M.0"), "B");
    EXPECT_EQ(size(s, "Y.1"), "N");
    EXPECT_THAT(guards(s), IsEmpty());
}

TEST(Solve, GeluLinearKeepsItsDeclaredNames) {
    const auto s = solved(
        "kernel gelu_linear(X: f32[M, K], W: f32[N, K], bias: f32[N]) -> Y: f32 { Z[m, n] = bias[n]; Z[m, n] += X[m, "
        "k] * W[n, k]; "
        "Y[m, n] = 0.5*Z[m, n]*(1 + erf(Z[m, n]*0.70710678)) }");
    EXPECT_EQ(size(s, "Z.0"), "M");
    EXPECT_EQ(address(s, "W"), "0; k: 1 n: K");
}

TEST(Solve, PoolWithWindowFromARange) {
    const char* pool =
        "kernel pool(X: f32[H pad P] else lowest, R: size = 2, T: size = 2, P: size = 0) -> Y: f32[OH] { Y[y] max= "
        "X[T*y + r - P] where r in 0:R }";
    EXPECT_EQ(size(solved(pool), "OH"), "H/2");
    EXPECT_EQ(size(solved(pool, {{"H", 112}, {"R", 3}, {"P", 1}}), "OH"), "56");
    const auto s = solved(pool, {{"R", std::nullopt}, {"T", std::nullopt}, {"P", std::nullopt}});
    EXPECT_EQ(size(s, "OH"), "(H + 2*P - R)/T + 1");
    EXPECT_THAT(guards(s), ElementsAre("R <= H + 2*P", "1 <= T"));
}

TEST(Solve, PadPairsCountOnTheirOwnSides) {  // (9 + 0 + 1 - 2)/2 + 1
    EXPECT_EQ(
        size(solved("kernel p(X: f32[H pad (0, 1)] else lowest) -> Y: f32[OH] { Y[y] max= X[2*y + r] where r in 0:2 }",
                    {{"H", 9}}),
             "OH"),
        "5");
}

TEST(Solve, FlipsHaveNegativeStrides) {
    const auto s = solved("Y[i] = X[X.0 - 1 - i]");
    EXPECT_EQ(size(s, "Y.0"), "X.0");
    EXPECT_EQ(address(s, "X"), "X.0 - 1; i: -1");
    EXPECT_EQ(size(solved("Y[y] += X[y + W.0 - 1 - k]*W[k]"), "Y.0"), "X.0 - W.0 + 1");
}

TEST(Solve, DiagonalsTakeTheShorterSide) {
    EXPECT_EQ(size(solved("Y[i] = A[i, i + 2]"), "Y.0"), "A.0");  // i alone in A.0 pins it
    EXPECT_EQ(address(solved("Y[i] = A[i, i]", {{"A.0", 6}, {"A.1", 6}}), "A"), "0; i: 7");
}

TEST(Solve, ReshapeBySizesAndByDigits) {
    const auto merge = solved("kernel m(X: f32[A, B]) -> Y: f32[A*B] { Y[k] = X[k/B, k % B] }");
    EXPECT_EQ(print(merge.extents.at("Y")[0]), "A*B");
    EXPECT_THAT(guards(merge), ElementsAre("1 <= B"));
    const auto split = solved("kernel s(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }");
    EXPECT_EQ(address(split, "X"), "0; i: M j: 1");
    EXPECT_THAT(guards(split), ElementsAre("1 <= M"));
}

TEST(Solve, EmittedHeadersChooseWhatTheSolverChooses) {
    const auto chosen = [](const std::string& text) {
        const Kernel kernel = kernel_of(text);
        const Solution s = solve(kernel).value();
        const std::string code = emit_solution(kernel, s);
        std::string names;
        for (const std::string& symbol : s.symbols)
            for (const char* which : {"least_", "only_"})
                if (code.find(" " + (which + symbol) + "(") != std::string::npos)
                    names += (names.empty() ? "" : " ") + (which + symbol);
        return names;
    };
    EXPECT_EQ(chosen("kernel k(X: f32[N]) -> Y: f32[2*N] { Y[2*i] = X[i] + X[0] }"),
              "only_N");  // a constant is no window
    EXPECT_EQ(chosen("kernel k(X: f32[N]) -> Y: f32[M] { Y[i] = X[3*i + 1] }"), "least_N");
    EXPECT_EQ(chosen("kernel k(Z: f32[K]) -> Y: f32[M] { Y[i] = 1 where Z[3*i + 1] > 0 }"), "least_K");
    const auto backwards = solved("kernel k(Z: f32[K]) -> Y: f32[M] { Y[i] = 1 where Z[3*i + 1] > 0 }", {{"M", 5}});
    EXPECT_EQ(size(backwards, "K"), "14");
}

TEST(Solve, ConcatenationNeedsNoGuard) {
    const auto s = solved(
        "kernel cat(A: f32[M, P], B: f32[M, Q]) -> Y: f32[M, P + Q] { Y[m, a] = A[m, a] where a in 0:P; Y[m, b + P] = "
        "B[m, b] }");
    EXPECT_THAT(guards(s), IsEmpty());
}

TEST(Solve, SpaceToDepthStaysInsideForAllSizes) {
    const auto s = solved(
        "kernel s2d(X: f32[H, W, C], B: size = 2) -> Y: f32[H/B, W/B, B*B*C] "
        "{ Y[y, x, (B*p + q)*C + c] = X[B*y + p, B*x + q, c] where p in 0:B, q in 0:B }",
        {{"B", std::nullopt}});
    EXPECT_THAT(guards(s), ElementsAre("1 <= B"));
}

TEST(Solve, ScattersEndAtTheLastPositionWritten) {
    const auto s = solved("Y[2*x + k] += X[x]*W[k]");
    EXPECT_EQ(size(s, "Y.0"), "W.0 + 2*X.0 - 2");
    EXPECT_EQ(size(solved("Y[2*x + k] += X[x]*W[k]", {{"Y.0", 11}, {"W.0", 3}}), "X.0"), "5");
}

TEST(Solve, RunningSumsHaveOneElementMore) {
    const auto s = solved(
        "kernel c(X: f32[B, N]) -> Y: f32[B, N] { S[b, 0] = 0; S[b, n] = S[b, n - 1] + X[b, n - 1] where n in 1:N + 1; "
        "Y[b, n] = S[b, n + 1] }");
    EXPECT_EQ(size(s, "S.1"), "N + 1");
    EXPECT_THAT(guards(s), IsEmpty());
    EXPECT_EQ(print(s.indices[1].at("n").min), "1");
    EXPECT_EQ(print(s.indices[1].at("n").extent), "N");
}

TEST(Solve, APlainReadBesideAShiftedOneCountsAsCompound) {
    const auto s = solved("Y[i] = X[i] + X[i+1]");
    EXPECT_EQ(size(s, "Y.0"), "X.0 - 1");
    EXPECT_THAT(guards(s), ElementsAre("2 <= X.0"));
}

TEST(Solve, ViewsComposeIntoTheirReaders) {
    const auto s = solved("U[x] = X[3*x + 1]; V[y, r] = U[2*y + r]; Y[y] += V[y, r]*W[r]");
    EXPECT_EQ(address(s, "V"), "0; r: 1 y: W.0");
    const auto accesses = access_forms(s.kernel, s);
    const auto& last = accesses[accesses.size() - 2];
    EXPECT_EQ(last.text, "X[3*r + 6*y + 1]");
    EXPECT_EQ(print(last.strides.at("y")), "6");
    EXPECT_EQ(print(last.offset), "1");
}

TEST(Solve, GuardsImpliedByOthersAreDropped) {  // X has 5 elements and more, so also 3
    const auto s = solved("Y[i] = X[4]*X[2]*W[i]");
    EXPECT_THAT(guards(s), ElementsAre("5 <= X.0"));
}

TEST(Solve, InputDimsDeclaredAsFormulasGiveTheirSizes) {
    const auto s = solved("kernel h(X: f32[2*N]) -> Y: f32[N] { Y[i] = X[2*i] + X[2*i + 1] }");
    EXPECT_EQ(size(s, "N"), "X.0/2");
    EXPECT_THAT(guards(s), ElementsAre("2 divides X.0"));
}

TEST(Solve, GivenZeroIsAnEmptyTensor) {
    EXPECT_EQ(size(solved("C[i,j] += A[i,k]*B[k,j]", {{"A.1", 0}}), "B.0"), "0");
    EXPECT_EQ(size(solved("Y[0] = X[0]", {{"X.0", 0}}), "X.0"), "0");
}

TEST(Solve, LargeSizesStayExact) {  // 2^61 + 5 - 6 + 1
    const std::int64_t large = std::int64_t{1} << 61;
    EXPECT_EQ(size(solved("Y[y] += X[y + k]*W[k]", {{"X.0", large + 5}, {"W.0", 6}}), "Y.0"), std::to_string(large));
}

TEST(Solve, ADivisorOfExtentsFollowsInResampling) {
    EXPECT_EQ(size(solved("Y[i] = X[i/2]"), "Y.0"), "2*X.0");
    EXPECT_EQ(size(solved("Y[i] += X[i/2 + t]*W[t]", {{"X.0", 5}, {"W.0", 2}}), "Y.0"), "8");
}

TEST(Key, IsEqualUnderRenamingAndDifferentForDifferentPrograms) {
    const auto key = [](const char* text) { return canonical_key(kernel_of(text)); };
    EXPECT_EQ(key("C[i,j] += A[i,k]*B[k,j]"), key("Z[r,c] += P[r,q]*Q[q,c]"));
    EXPECT_NE(key("C[i,j] += A[i,k]*B[k,j]"), key("C[i,j] += A[i,k]*B[j,k]"));
    EXPECT_NE(key("Y[y] += X[2*y + k]*W[k]"), key("Y[y] += X[y + 2*k]*W[k]"));
    EXPECT_NE(key("Y[i] = X[i] + 1"), key("Y[i] = X[i] + 1.0"));
    EXPECT_NE(key("kernel a(X: f32[N]) -> Y: f32[N] { Y[i] = X[i] }"),
              key("kernel a(X: f64[N]) -> Y: f64[N] { Y[i] = X[i] }"));
    EXPECT_NE(key("kernel a(X: f32[N, N]) -> Y: f32 { Y[i] = X[i, 0] }"),
              key("kernel a(X: f32[N, M]) -> Y: f32 { Y[i] = X[i, 0] }"));
}

TEST(Report, ReadsWell) {
    const auto kernel = kernel_of("Y[y] += X[2*y + k]*W[k]");
    EXPECT_EQ(report(kernel, solve(kernel).value()),
              "kernel\n"
              "sizes\n"
              "  X.0  any: extent of dim 0 of X\n"
              "  W.0  any: extent of dim 0 of W\n"
              "  Y.0  = (X.0 - W.0 + 2)/2\n"
              "tensors\n"
              "  X  f32[X.0]  input\n"
              "  W  f32[W.0]  input\n"
              "  Y  f32[(X.0 - W.0 + 2)/2]  output\n"
              "equations\n"
              "  Y[y] += X[2*y + k]*W[k]\n"
              "    y in [0, (X.0 - W.0 + 2)/2), k in [0, W.0) reduced\n"
              "    Y[y]        strides y: 1\n"
              "    X[2*y + k]  strides k: 1, y: 2\n"
              "    W[k]        strides k: 1\n"
              "guards\n"
              "  W.0 <= X.0  `Y.0` is at least 1, from X[2*y + k]\n");
}

TEST(Report, JsonHasNumbersAsNumbersAndFormulasAsTexts) {
    const auto kernel = kernel_of("Y[y] += X[2*y + k]*W[k]");
    const auto j = solution_json(kernel, solve(kernel, {{"W.0", 3}}).value());
    EXPECT_EQ(j["status"], "ok");
    EXPECT_EQ(j["sizes"], nlohmann::json::parse(R"({"W.0": 3, "X.0": "X.0", "Y.0": "(X.0 - 1)/2"})"));
    EXPECT_EQ(j["indices"]["k"], nlohmann::json::parse(R"({"min": 0, "extent": 3, "reduced": true})"));
    EXPECT_EQ(j["access"]["X"], nlohmann::json::parse(R"({"offset": 0, "strides": {"k": 1, "y": 2}})"));
    EXPECT_EQ(j["guards"], nlohmann::json::parse(R"(["3 <= X.0"])"));
}

TEST(Speed, AChainOf100ConvolutionsIsSolvedForwardAndBackward) {
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += "T" + std::to_string(i + 1) + "[x] += T" + std::to_string(i) +
                (i % 25 == 24 ? "[2*x + k]" : "[x + k]") + "*W[k]; ";
    const auto kernel = kernel_of(text);
    const auto milliseconds = [&](const Settings& known, const std::string& name, std::int64_t expected) {
        double best = 1e9;
        for (int round = 0; round < 5; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            const auto s = solve(kernel, known);
            best = std::min(
                best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
            EXPECT_EQ(size(s.value(), name), std::to_string(expected));
        }
        return best;
    };
    // A plain layer takes 2 elements; a strided one with output n reads 2*(n - 1) + 3.
    std::int64_t extent = 100;
    for (int i = 99; i >= 0; --i) extent = i % 25 == 24 ? 2 * (extent - 1) + 3 : extent + 2;
    const double forward = milliseconds({{"T0.0", extent}, {"W.0", 3}}, "T100.0", 100);
    const double backward = milliseconds({{"T100.0", 100}, {"W.0", 3}}, "T0.0", extent);
    std::cout << "100 layers: forward " << forward << " ms, backward " << backward << " ms\n";
    EXPECT_LT(forward + backward, 1000);  // a hang, not a slow machine
}

TEST(Solve, AQuotientOfSeveralStepsBoundsItsIndex) {  // 3*y/2 is y + y/2: (3*y + k)/2 <= 10 gives y <= 6
    const std::string text = "kernel k(X: f32[A], W: f32[R], T: size) -> Y: f32 { Y[y] += X[(T*y + k)/2]*W[k] }";
    EXPECT_EQ(size(solved(text, {{"A", 11}, {"R", 2}, {"T", 3}}), "Y.0"), "7");
    EXPECT_EQ(size(solved(text, {{"R", 2}, {"T", 3}}), "Y.0"), "(2*A + 1)/3");  // 3*(Y.0 - 1) + 1 <= 2*A - 1
}

TEST(Solve, AMinBoundsItsIndexWhereTheOtherOperandIsTooLarge) {
    EXPECT_EQ(size(solved("Y[y] += X[min(y, 4) + k]*W[k]", {{"X.0", 5}, {"W.0", 3}}), "Y.0"), "3");
    EXPECT_FALSE(solve(kernel_of("Y[y] += X[min(y, 4) + k]*W[k]"), {{"X.0", 9}, {"W.0", 3}}));  // any y will do
}

/// `i % 4` bounds i by X below 4 alone; with 4 or more elements it is V that does.
TEST(SolveKernel, BoundsThatHoldInSomeCasesAreTaken) {
    const std::string text = "Y[i] += X[i % 4]*V[5 - i]";
    const Solution s = solved(text);
    for (const std::int64_t x : {1, 2, 3, 4, 9}) {
        const Bindings sizes{{"X.0", x}, {"V.0", 6}};
        EXPECT_TRUE(guards_hold(s, sizes)) << x;
        EXPECT_EQ(evaluate(s.extents.at("Y")[0], sizes), x < 4 ? x : 6) << x;
        EXPECT_EQ(solved(text, {{"X.0", x}, {"V.0", 6}}).extents.at("Y")[0], Formula(x < 4 ? x : 6)) << x;
    }
}

/// A stride of 0 bounds nothing: then the other access does.
TEST(SolveKernel, AStrideOf0IsFineBesideAnotherBound) {
    const Solution s = solved("kernel k(X: f32[N], V: f32[M], K: size) -> Y: f32 { Y[i] = X[K*i]*V[i + 1] }");
    EXPECT_TRUE(guards_hold(s, {{"N", 9}, {"M", 4}, {"K", 0}}));
    EXPECT_EQ(evaluate(s.extents.at("Y")[0], {{"N", 9}, {"M", 4}, {"K", 0}}), 3);
    EXPECT_EQ(evaluate(s.extents.at("Y")[0], {{"N", 5}, {"M", 9}, {"K", 2}}), 3);
    EXPECT_FALSE(guards_hold(s, {{"N", 0}, {"M", 4}, {"K", 0}}));
}

TEST(SolveKernel, ASinglePointMeetsNoOther) {
    const Solution s = solved("kernel k(X: u8[_]) -> O: u8[3, 9] { O[x + b, n] = X[b] where x in 0:3 }");
    EXPECT_TRUE(guards_hold(s, {{"X.0", 0}}));
    EXPECT_TRUE(guards_hold(s, {{"X.0", 1}}));
    EXPECT_FALSE(guards_hold(s, {{"X.0", 2}}));
    const Solution t = solved("kernel k(X: f32[N], R: size, T: size) -> Y: f32 { Y[T*i + r] = X[i] where r in 0:R }");
    EXPECT_TRUE(guards_hold(t, {{"N", 1}, {"R", 3}, {"T", 2}}));
    EXPECT_FALSE(guards_hold(t, {{"N", 2}, {"R", 3}, {"T", 2}}));
}

/// Rule 5: an equation at a constant place of a dim given as 0 is empty.
TEST(SolveKernel, AConstantPlaceNeedsNoGuardWhereTheDimMayBe0) {
    EXPECT_THAT(guards(solved("kernel k(X: f32[_]) -> Y: f32[M] { Y[0] = X[0] }")), IsEmpty());
}

/// A place that names an index is none, though it has one value.
TEST(SolveKernel, APlaceOfOneValueNeedsAnElement) {
    const Solution s = solved("kernel k(X: f32[M, N]) -> Y: f32[2, M] { Y[1, i] += X[i, n%1] where n in 0:9 }");
    EXPECT_TRUE(guards_hold(s, {{"M", 7}, {"N", 1}}));
    EXPECT_FALSE(guards_hold(s, {{"M", 7}, {"N", 0}}));
}

TEST(SolveKernel, PlacesTellTogetherWhatNoneTellsAlone) {
    const Solution s =
        solved("kernel k(B: u8[N], P: size) -> T: u8 { T[max(r, 1), abs(r - 3), j/P] = B[j] where r in 0:15 }");
    EXPECT_TRUE(guards_hold(s, {{"N", 5}, {"P", 1}}));
    EXPECT_FALSE(guards_hold(s, {{"N", 5}, {"P", 2}}));
}

TEST(Solve, WhatIsLeftOpenIsNotChosenBesideAGivenOutput) {
    const char* text =
        "kernel f(X: f32[H, W pad 1, C] else edge) -> Y: f32[H, W, C] { Y[y, x, c] = X[y, x + 1, c] - X[y, x - 1, c] }";
    EXPECT_EQ(size(solved(text, {{"C", 3}}), "W"), "1");
    EXPECT_EQ(size(solved(text, {{"C", 3}, {"W", std::nullopt}}), "W"), "W");
}

}  // namespace
}  // namespace halogen
