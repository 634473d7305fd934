// Steps of which only the last is asked for: they lie in turns in the memory of a few.

#include "frontend/plan/folded.h"

#include "tests/schedule/rewritten.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

/// The equations, and each intermediate that has dims in turns, as `D: 2 _ _`.
std::string folds(const std::string& text) {
    const Kernel kernel = kernel_of(text);
    const auto result = folded(kernel, open_solution(kernel));
    if (!result) return "nothing";
    std::string all;
    for (const Equation& equation : result->equations) all += print(equation) + "\n";
    for (const Tensor& tensor : result->tensors) {
        if (tensor.role != Role::intermediate || !tensor.dims) continue;
        all += tensor.name + ":";
        for (const Dim& dim : *tensor.dims) all += dim.turns > 0 ? " " + std::to_string(dim.turns) : " _";
        all += "\n";
    }
    return all;
}

const char* const shortest_ways =
    "kernel k(W: f32[N, N]) -> Y: f32[N, N] { D[0, i, j] = W[i, j]; "
    "D[k, i, j] = min(D[k - 1, i, j], D[k - 1, i, k - 1] + D[k - 1, k - 1, j]) where k in 1:N + 1; Y[i, j] = D[N, i, "
    "j] }";

const char* const heat =
    "kernel k(X: f32[H, W], T: size, a: f32) -> Y: f32[H, W] { U[0, y, x] = X[y, x]; "
    "U[t + 1, y, x] = U[t, y, x] + a*(U[t, max(y - 1, 0), x] + U[t, min(y + 1, H - 1), x] + U[t, y, max(x - 1, 0)] + "
    "U[t, y, min(x + 1, W - 1)] - 4*U[t, y, x]) where t in 0:T; Y[y, x] = U[T, y, x] }";

const char* const waves =
    "kernel k(X: f32[N], T: size, c: f32) -> Y: f32[N] { U[0, i] = X[i]; U[1, i] = X[i]; "
    "U[t, i] = 2*U[t - 1, i] - U[t - 2, i] + c*(U[t - 1, max(i - 1, 0)] - 2*U[t - 1, i] + U[t - 1, min(i + 1, N - 1)]) "
    "where t in 2:T + 2; Y[i] = U[T + 1, i] }";

TEST(Folded, StepsLieInTwoPlaces) {
    EXPECT_EQ(folds(shortest_ways),
              "D[0, i, j] = W[i, j]\n"
              "D[k, i, j] = min(D[k - 1, i, j], D[k - 1, i, k - 1] + D[k - 1, k - 1, j]) where k in 1:N + 1\n"
              "Y[i, j] = D[N, i, j]\n"
              "D: 2 _ _\n");
    EXPECT_NE(folds(heat).find("\nU: 2 _ _\n"), std::string::npos) << folds(heat);
}

TEST(Folded, InAsManyAsAStepReadsAndItsOwn) {
    EXPECT_NE(folds(waves).find("\nU: 3 _\n"), std::string::npos) << folds(waves);
}

TEST(Folded, TheirDimGoesFirst) {
    EXPECT_EQ(folds("kernel k(X: f32[N], T: size) -> Y: f32[N] { U[i, 0] = X[i]; "
                    "U[i, t] = U[i, t - 1] + U[max(i - 1, 0), t - 1] where t in 1:T + 1; Y[i] = U[i, T] }"),
              "U[0, i] = X[i]\n"
              "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1\n"
              "Y[i] = U[T, i]\n"
              "U: 2 _\n");
}

TEST(Folded, NotWhereMoreIsAskedFor) {
    for (const char* text : {
             // all steps
             "kernel k(X: f32[N], T: size) -> Y: f32[T + 1, N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1; Y[t, i] = U[t, i]*2 }",
             // their sum
             "kernel k(X: f32[N], T: size) -> Y: f32[N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1; Y[i] += U[t, i] }",
             // one of the first
             "kernel k(X: f32[N], T: size) -> Y: f32[N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1; Y[i] = U[0, i] + U[T, i] }",
             // a result
             "kernel k(X: f32[N], T: size) -> U: f32[T + 1, N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1 }",
             // a step that data tells
             "kernel k(X: f32[N], L: i32[1]) -> Y: f32[N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:9; Y[i] = U[L[0], i] }",
             // steps of which parts are kept
             "kernel k(X: f32[N], T: size) -> Y: f32[N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, i - 1] where t in 1:T + 1, i in 1:N; Y[i] = U[T, i] }",
             // a step that has not been made
             "kernel k(X: f32[N], T: size) -> Y: f32[N] { tmp U: f32[T + 2, N]; U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1; Y[i] = U[T + 1, i] }",
             // what is read before
             "kernel k(X: f32[N], T: size) -> (Y: f32[N], Z: f32[N]) { U[0, i] = X[i]; Z[i] = U[T, i]; "
             "U[t, i] = U[t - 1, i] + U[t - 1, max(i - 1, 0)] where t in 1:T + 1; Y[i] = U[T, i] }",
             // by columns
             "kernel k(X: f32[N], T: size) -> Y: f32[N] { U[0, i] = X[i]; "
             "U[t, i] = U[t - 1, i]*U[t - 1, i] + X[i] where t in 1:T + 1; Y[i] = U[T, i] }",
         })
        EXPECT_EQ(folds(text), "nothing") << text;
}

TEST(Folded, ComputesWhatAllStepsDo) {
    std::vector<Settings> squares, images, rows;
    for (const int n : {0, 1, 2, 3, 15, 16, 17, 33}) squares.push_back({{"N", n}});
    for (const int t : {0, 1, 2, 3, 6})
        for (const int n : {1, 2, 16, 17, 40}) {
            images.push_back({{"T", t}, {"H", 3}, {"W", n}});
            rows.push_back({{"T", t}, {"N", n}});
        }
    expect_as_interpreted_on_all_legs(shortest_ways, squares);
    expect_as_interpreted_on_all_legs(heat, images);
    expect_as_interpreted_on_all_legs(waves, rows);
}

}  // namespace
}  // namespace halogen
