// Accesses that stay inside for all sizes that meet the guards, and those that do not.

#include "frontend/solve/proof.h"
#include "frontend/solve/implied.h"
#include "generators/run/builtin.h"
#include "tests/solve/solved.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using Verdict = InBounds::Verdict;

/// "X[…] dim d: …" of everything that is not exact.
std::vector<std::string> proofs(const std::string& text, const Settings& known = {}) {
    const Kernel kernel = test::kernel_of(text);
    std::vector<std::string> lines;
    for (const InBounds& p : prove_in_bounds(kernel, test::solved(text, known))) {
        if (p.verdict != Verdict::exact) lines.push_back(print(p));
    }
    return lines;
}

TEST(Proof, AWindowStaysInsideByTheFloorThatMadeIt) {
    EXPECT_THAT(proofs("Y[y] += X[2*y + k]*W[k]"),
                testing::ElementsAre("X[2*y + k] dim 0: 0 to W.0 + 2*((X.0 - W.0)/2) - 1 lies in 0 to X.0 - 1"));
}

TEST(Proof, EveryBuiltInKernelIsSafeWithEverythingOpen) {
    for (const auto& [name, text] : builtin_kernels()) {
        const Kernel kernel = test::kernel_of(std::string(text));
        Settings open;
        for (const SizeParam& p : kernel.sizes) open[p.name] = std::nullopt;
        for (const InBounds& p : prove_in_bounds(kernel, solve(kernel, open).value()))
            EXPECT_NE(p.verdict, Verdict::missing) << name << ": " << print(p);
    }
}

TEST(Proof, KernelsOfAllKindsAreSafe) {
    for (const char* text : {
             "Y[i] = X[i/2]",
             "Y[i, t] = X[i/2 + t]*W[t]",
             "Y[y] += X[y + W.0 - 1 - k]*W[k]",
             "Y[i] = X[X.0 - 1 - i]",
             "kernel r(X: f32[A, B]) -> Y: f32[A*B] { Y[k] = X[k/B, k % B] }",
             "kernel s(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }",
             "kernel cat(A: f32[M, P], B: f32[M, Q]) -> Y: f32[M, P + Q] { Y[m, a] = A[m, a] where a in 0:P; "
             "Y[m, b + P] = B[m, b] }",
             "kernel up(X: f32[N], S: size = 2) -> Y: f32[S*N] { Y[i] = X[i/S] }",
             "Y[i] = X[7]*W[i]",
             "Y[2*x + k] += X[x]*W[k]",
         }) {
        const Kernel kernel = test::kernel_of(text);
        const auto all = prove_in_bounds(kernel, test::solved(text));
        for (const InBounds& p : all) EXPECT_NE(p.verdict, Verdict::missing) << text << "\n" << print(p);
    }
}

TEST(Proof, DataIsCheckedWhenTheKernelRuns) {
    EXPECT_THAT(proofs("kernel g(X: f32[N], I: i32[M]) -> Y: f32[M] { Y[m] = X[I[m]] }"),
                testing::ElementsAre("X[I[m]] dim 0: checked when the kernel runs"));
}

TEST(Proof, AGuardThatIsTakenAwayIsNamedAsMissing) {
    const Kernel kernel = test::kernel_of("Y[i] = X[i + 2]*W[i]");
    Solution s = solve(kernel).value();
    EXPECT_TRUE(is_safe(prove_in_bounds(kernel, s)));
    s.guards.clear();
    const auto all = prove_in_bounds(kernel, s);
    EXPECT_FALSE(is_safe(all));
    std::vector<std::string> missing;
    for (const InBounds& p : all) {
        for (const Guard& g : p.guards) missing.push_back(print(g));
    }
    EXPECT_THAT(missing, testing::ElementsAre("W.0 + 2 <= X.0"));
}

TEST(Implied, KnowsWhatFollowsAndWhatDoesNot) {
    const Formula a = Formula::symbol("a"), b = Formula::symbol("b"), t = Formula::symbol("t");
    Facts facts;
    facts.add_nonnegative(t - Formula(1));
    facts.add_nonnegative(b - a);
    EXPECT_TRUE(facts.imply_nonnegative(b - t * floor_div(a, t)));
    EXPECT_TRUE(facts.imply_nonnegative(t * b - a));  // t >= 1 and b >= a
    EXPECT_TRUE(facts.imply_nonnegative(max(a, b) - a));
    EXPECT_TRUE(facts.imply_nonnegative(t - Formula(1) - remainder(a, t)));
    EXPECT_FALSE(facts.imply_nonnegative(b - t * a));
    EXPECT_FALSE(facts.imply_nonnegative(a - Formula(1)));
}

}  // namespace
}  // namespace halogen
