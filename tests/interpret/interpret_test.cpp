// Equations point by point: every expectation is a line of mental arithmetic.

#include "tests/interpret/run_text.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace halogen {
namespace {

using testing::ElementsAre;
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Interpret, MatmulSumsProducts) {
    const Tensors in = {{"A", tensor(Type::f32, {2, 2}, {1, 2, 3, 4})}, {"B", tensor(Type::f32, {2, 2}, {5, 6, 7, 8})}};
    EXPECT_THAT(run("C[i,j] += A[i,k]*B[k,j]", in, "C"), ElementsAre(19, 22, 43, 50));
}

TEST(Interpret, ColumnMajorInputsAreReadByTheirStrides) {
    HostTensor a(Type::f32, {2, 3}, {1, 2});  // the columns follow each other
    for (std::int64_t i = 0; i < 6; i++) a.set_real(i, static_cast<double>(i));
    EXPECT_THAT(run("Y[i,j] = A[i,j]", {{"A", a}}, "Y"), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(Interpret, NegativeStridesReadBackwards) {
    HostTensor a(Type::i32, {3}, {-1});
    for (std::int64_t i = 0; i < 3; i++) a.set_integer(-i, i + 1);
    EXPECT_THAT(run("kernel k(A: i32[N]) -> Y: i32 { Y[i] = A[i] }", {{"A", a}}, "Y"), ElementsAre(1, 2, 3));
    EXPECT_EQ(a.storage()[0], std::byte{3});
}

TEST(Interpret, EveryReductionStartsAtItsIdentity) {
    const Tensors none = {{"X", f32({})}};
    EXPECT_THAT(run("Y[] += X[i]", none, "Y"), ElementsAre(0));
    EXPECT_THAT(run("Y[] *= X[i]", none, "Y"), ElementsAre(1));
    EXPECT_THAT(run("Y[] max= X[i]", none, "Y"), ElementsAre(-inf));
    EXPECT_THAT(run("Y[] min= X[i]", none, "Y"), ElementsAre(inf));
    const Tensors no_bytes = {{"X", tensor(Type::i8, {0}, {})}};
    EXPECT_THAT(run("kernel k(X: i8[N]) -> Y: i8 { Y[] max= X[i] }", no_bytes, "Y"), ElementsAre(-128));
    EXPECT_THAT(run("kernel k(X: i8[N]) -> Y: i8 { Y[] min= X[i] }", no_bytes, "Y"), ElementsAre(127));
    const Tensors no_bools = {{"X", tensor(Type::boolean, {0}, {})}};
    EXPECT_THAT(run("kernel k(X: bool[N]) -> Y: bool { Y[] and= X[i] }", no_bools, "Y"), ElementsAre(1));
    EXPECT_THAT(run("kernel k(X: bool[N]) -> Y: bool { Y[] or= X[i] }", no_bools, "Y"), ElementsAre(0));
}

TEST(Interpret, ReductionsCombineAllPoints) {
    const Tensors in = {{"X", tensor(Type::f32, {2, 3}, {3, 1, 2, -4, 5, 0.5})}};
    EXPECT_THAT(run("Y[i] += X[i,j]", in, "Y"), ElementsAre(6, 1.5));
    EXPECT_THAT(run("Y[i] *= X[i,j]", in, "Y"), ElementsAre(6, -10));
    EXPECT_THAT(run("Y[i] max= X[i,j]", in, "Y"), ElementsAre(3, 5));
    EXPECT_THAT(run("Y[i] min= X[i,j]", in, "Y"), ElementsAre(1, -4));
}

TEST(Interpret, LaterEquationsStartFromWhatIsThere) {
    EXPECT_THAT(
        run("Z[m] = b[m]; Z[m] += X[m,k]", {{"b", f32({10, 20})}, {"X", tensor(Type::f32, {2, 2}, {1, 2, 3, 4})}}, "Z"),
        ElementsAre(13, 27));
}

TEST(Interpret, PointsThatWhereLeavesOutKeepWhatWasThere) {
    EXPECT_THAT(run("Y[i] = X[i] where i % 2 == 0", {{"X", f32({5, 6, 7})}}, "Y"), ElementsAre(5, 0, 7));
    // X[2] would be out of range, were it evaluated through I.
    EXPECT_THAT(run("kernel k(X: f32[N], I: i32[M]) -> Y: f32 { Y[m] = X[I[m]] where I[m] < 2 }",
                    {{"X", f32({5, 6})}, {"I", tensor(Type::i32, {3}, {1, 2, 0})}}, "Y"),
                ElementsAre(6, 0, 5));
}

TEST(Interpret, SelectEvaluatesBothSides) {
    const std::string text = "kernel k(X: f32[N], I: i32[M]) -> Y: f32 { Y[m] = select(I[m] < 2, X[I[m]], 0) }";
    EXPECT_EQ(error_of(text, {{"X", f32({5, 6})}, {"I", tensor(Type::i32, {2}, {1, 2})}}),
              "index -e:1:68: `I[m]` is 2 at m = 1, outside [0, 2) of dim 0 of `X`\n"
              "  at   Y[m] = select(I[m] < 2, X[I[m]], 0)\n"
              "  fix  keep `I[m]` inside [0, 2); check the values of `I`");
}

TEST(Interpret, EveryElseModeIsNumPys) {
    const Tensors in = {{"X", f32({1, 2, 3})}};
    const auto padded = [&](const std::string& mode) {
        return run("kernel k(X: f32[N pad 2] " + mode + ") -> Y: f32[N + 4] { Y[i] = X[i - 2] }", in, "Y");
    };
    EXPECT_THAT(padded(""), ElementsAre(0, 0, 1, 2, 3, 0, 0));
    EXPECT_THAT(padded("else -1.5"), ElementsAre(-1.5, -1.5, 1, 2, 3, -1.5, -1.5));
    EXPECT_THAT(padded("else lowest"), ElementsAre(-inf, -inf, 1, 2, 3, -inf, -inf));
    EXPECT_THAT(padded("else highest"), ElementsAre(inf, inf, 1, 2, 3, inf, inf));
    EXPECT_THAT(padded("else edge"), ElementsAre(1, 1, 1, 2, 3, 3, 3));
    EXPECT_THAT(padded("else reflect"), ElementsAre(3, 2, 1, 2, 3, 2, 1));
    EXPECT_THAT(padded("else symmetric"), ElementsAre(2, 1, 1, 2, 3, 3, 2));
    EXPECT_THAT(padded("else wrap"), ElementsAre(2, 3, 1, 2, 3, 1, 2));
}

TEST(Interpret, APairPadsEachEndByItself) {
    EXPECT_THAT(
        run("kernel k(X: f32[N pad (1, 2)] else edge) -> Y: f32[N + 3] { Y[i] = X[i - 1] }", {{"X", f32({4, 5})}}, "Y"),
        ElementsAre(4, 4, 5, 5, 5));
}

TEST(Interpret, RecurrencesRunInOrder) {
    EXPECT_THAT(run("Y[0] = X[0]; Y[i] = 0.5*Y[i-1] + X[i] where i in 1:X.0", {{"X", f32({4, 2, 1})}}, "Y"),
                ElementsAre(4, 4, 3));
}

TEST(Interpret, ARecurrenceAlongTheFirstDimWaitsForWholeRows) {
    // Y[i, j] needs Y[i-1, j+1]: in row-major order of (j, i) it would not be there yet.
    const std::string text =
        "kernel k(X: f32[N, M]) -> Y: f32[N, M + 1] { Y[i, j] = X[i, j] where i in 0:1, j in 0:M; "
        "Y[i, j] = Y[i-1, j+1] + X[i, j] where i in 1:N, j in 0:M }";
    EXPECT_THAT(run(text, {{"X", tensor(Type::f32, {3, 2}, {1, 2, 10, 20, 100, 200})}}, "Y"),
                ElementsAre(1, 2, 0, 12, 20, 0, 120, 200, 0));
}

TEST(Interpret, ScatterCombinesPointsThatMeet) {
    EXPECT_THAT(run("kernel h(I: u8[N], W: f32[N]) -> H: f32[4] { H[I[n]] += W[n] }",
                    {{"I", tensor(Type::u8, {4}, {1, 3, 1, 0})}, {"W", f32({1, 2, 4, 8})}}, "H"),
                ElementsAre(8, 5, 0, 2));
    EXPECT_THAT(run("Y[2*x + k] += A[x, k]", {{"A", tensor(Type::f32, {2, 3}, {1, 2, 3, 10, 20, 30})}}, "Y"),
                ElementsAre(1, 2, 13, 20, 30));
}

TEST(Interpret, PointsThatMeetUnderAssignmentAreAnError) {
    EXPECT_EQ(error_of("kernel k(I: i32[N], W: f32[N]) -> H: f32[3] { H[I[n]] = W[n] }",
                       {{"I", tensor(Type::i32, {3}, {2, 0, 2})}, {"W", f32({1, 2, 3})}}),
              "index -e:1:47: two points write H[2]; the second is n = 2\n"
              "  at   H[I[n]] = W[n]\n"
              "  fix  combine them with `+=`, `max=` or another operator, or make the positions differ");
}

TEST(Interpret, AnEmptyDimMakesAFixedPositionAnEmptyEquation) {
    EXPECT_THAT(run("kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }",
                    {{"X", f32({7})}}, "Y"),
                ElementsAre(7));
    EXPECT_THAT(run("kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0] }", {{"X", f32({})}}, "Y"), ElementsAre());
    EXPECT_THAT(run("Y[0] = X[0]", {{"X", f32({})}}, "Y"), ElementsAre(0));
}

TEST(Interpret, ViewsAreOrdinaryTensors) {
    EXPECT_THAT(run("V[i] = X[2*i + 1]; Y[i] = V[i] + V[i]", {{"X", f32({0, 1, 2, 3})}}, "Y"), ElementsAre(2, 6));
}

TEST(Interpret, LiteralsSizesAndIndicesTakeTheirNeighboursType) {
    EXPECT_THAT(run("Y[i] = X[i]*(1/2) + i", {{"X", f32({4, 6})}}, "Y"), ElementsAre(2, 4));
    EXPECT_THAT(run("Y[i] = X[i]/X.0", {{"X", f32({4, 6})}}, "Y"), ElementsAre(2, 3));
}

TEST(Interpret, FunctionsThatGiveRealsTakeIndicesAsReals) {
    const std::string text = "kernel k(X: f32[N]) -> Y: f32[N] { Y[i] += X[i] where ";
    const Tensors inputs{{"X", f32({1, 1, 1, 1, 1})}};
    const auto kept = [&](const std::string& predicate) { return run(text + predicate + " }", inputs, "Y"); };
    EXPECT_EQ(kept("sqrt(i) < 2"), (std::vector<double>{1, 1, 1, 1, 0}));
    EXPECT_EQ(kept("ceil(i/2) > 1"), (std::vector<double>{0, 0, 0, 1, 1}));             // i/2 is 1.5 at 3
    EXPECT_EQ(kept("floor(i/2) == round(i/2)"), (std::vector<double>{1, 1, 1, 0, 1}));  // half goes to even
    EXPECT_EQ(kept("f32(ceil(i/2)) > 1.0"), (std::vector<double>{0, 0, 0, 1, 1}));
    EXPECT_EQ(kept("f32(i/2) == 1.0"), (std::vector<double>{0, 0, 1, 1, 0}));  // whole numbers alone divide as such
    EXPECT_EQ(kept("i/2 == 1"), (std::vector<double>{0, 0, 1, 1, 0}));
}

TEST(Interpret, ScalarsAreReadOnce) {
    EXPECT_THAT(
        run("kernel k(X: f32[N], a: f32) -> Y: f32 { Y[i] = a*X[i] }", {{"X", f32({4, 6})}}, "Y", {}, {{"a", 0.5}}),
        ElementsAre(2, 3));
}

}  // namespace
}  // namespace halogen
