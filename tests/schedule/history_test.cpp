// Histories as values: what they print, and how a step that cannot be applied is refused.

#include "frontend/formula/sign.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solve.h"
#include "schedules/bind/bind.h"
#include "schedules/history/parse.h"
#include "schedules/history/steps.h"
#include "schedules/recipes/decided.h"
#include "schedules/recipes/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.front(); }

TEST(History, PrintsOneStepPerLineWithASpecialisationsStepsIndented) {
    History history;
    Steps(history.steps, "Y_value").compute_at("Y", "i").store_in_stack();
    Steps(history.steps, "Y").specialize({{{Condition::Term::Kind::stride_is, "X", 1, 1}}}, [](Steps& steps) {
        steps.split("j", "jo", "ji", 16, Tail::guard).vectorize("ji");
    });
    EXPECT_EQ(print(history),
              "Y_value.0 compute_at Y.i\n"
              "Y_value.0 store_in_stack\n"
              "Y.0 specialize when stride(X, 1) == 1\n"
              "  Y.0 split j -> jo, ji by 16 tail guard\n"
              "  Y.0 vectorize ji\n");
}

TEST(History, BranchesThatSizesDecideAreTakenOrGo) {
    const Kernel kernel = kernel_of("kernel f(X: f32[N, 64]) -> Y: f32 { T[i, j] = X[i, j]; Y[i, j] = 2*T[i, j] }");
    const Solution solution = solve(kernel).value();
    const auto at_least = [](const Formula& left, int right) {
        return Condition{{{Condition::Term::Kind::at_least, {}, 0, 1, left, right}}};
    };
    const auto stride = [](const std::string& tensor, int dim) {
        return Condition{{{Condition::Term::Kind::stride_is, tensor, dim, 1}}};
    };
    const auto left_of = [&](const Condition& when) {
        History history;
        Steps steps(history.steps, "Y");
        steps.specialize(when, [](Steps& inside) { inside.vectorize("j"); }).unroll("j").compute_root();
        return print(History{without_decided_branches(kernel, solution, history.steps)});
    };
    const std::string taken = "Y.0 vectorize j\nY.0 compute_root\n", gone = "Y.0 unroll j\nY.0 compute_root\n";
    EXPECT_EQ(left_of(at_least(64, 16)), taken);
    EXPECT_EQ(left_of(at_least(64, 65)), gone);
    const Formula n = Formula::symbol("N");
    EXPECT_EQ(left_of(at_least(smaller(-48, n), 0)), gone);
    EXPECT_EQ(left_of(at_least(larger(n, 3), 2)), taken);
    EXPECT_EQ(left_of(at_least(n, 0)), "Y.0 specialize when N >= 0\n  Y.0 vectorize j\n" + gone);
    EXPECT_EQ(left_of(stride("T", 1)), taken) << "T is the kernel's own, row-major";
    EXPECT_EQ(left_of(stride("T", 0)), gone);
    EXPECT_EQ(left_of({at_least(64, 65).all, true}), taken);
    Condition both = at_least(64, 16);
    both.all.push_back(at_least(Formula::symbol("N"), 8).all[0]);
    EXPECT_EQ(left_of(both), "Y.0 specialize when 64 >= 16 and N >= 8\n  Y.0 vectorize j\n" + gone);
    EXPECT_EQ(left_of(stride("X", 1)), "Y.0 specialize when stride(X, 1) == 1\n  Y.0 vectorize j\n" + gone);

    // What a greatest and a least say together with another term.
    const auto few_and = [&](const Formula& more) {
        Condition when = at_least(4 - n, 0);
        when.all.push_back(at_least(more, 0).all[0]);
        return left_of(when);
    };
    EXPECT_EQ(few_and(larger(1, n + 3) - 32), gone);
    EXPECT_EQ(few_and(smaller(n, 100) - 32), gone);
    EXPECT_NE(few_and(larger(40, n) - 32), gone);
    EXPECT_NE(few_and(smaller(n, 100) - 4), gone);
}

TEST(History, BranchesThatFactsDecideAreTakenOrGo) {
    const Kernel kernel = kernel_of("kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = 2*X[i, j] }");
    const Solution solution = solve(kernel).value();
    const Formula n = Formula::symbol("N"), m = Formula::symbol("M");
    const auto left_of = [&](const Formula& larger, const Formula& smaller) {
        History history;
        Steps steps(history.steps, "Y");
        steps.specialize({{at_least(larger, smaller)}}, [](Steps& inside) { inside.vectorize("j"); }).unroll("j");
        const Facts facts{{CallFact::Kind::at_most, 16, n}, {CallFact::Kind::at_most, m, 2 * n}};
        return print(History{without_decided_branches(kernel, solution, history.steps, facts)});
    };
    const std::string taken = "Y.0 vectorize j\n", gone = "Y.0 unroll j\n";
    EXPECT_EQ(left_of(n, 16), taken);
    EXPECT_EQ(left_of(n, 8), taken);
    EXPECT_EQ(left_of(n, 17), "Y.0 specialize when N >= 17\n  Y.0 vectorize j\n" + gone);
    EXPECT_EQ(left_of(15, n), gone);
    EXPECT_EQ(left_of(2 * n + 1, m), taken);
    EXPECT_EQ(left_of(m, 2 * n + 1), gone);
    EXPECT_EQ(left_of(m, n), "Y.0 specialize when M >= N\n  Y.0 vectorize j\n" + gone);
}

TEST(History, BranchesThatACallDoesNotTakeGo) {
    const Kernel kernel = kernel_of("kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = 2*X[i, j] }");
    const Solution solution = solve(kernel).value();
    using Term = Condition::Term;
    const Formula n = Formula::symbol("N");
    const KnownCall call{{{"N", 8}, {"M", 3}}, {{"X", {1, 8}}, {"Y", {3, 1}}}, 1};
    const auto is_taken = [&](const Term& term) {
        History history;
        Steps steps(history.steps, "Y");
        steps.specialize({{term}}, [](Steps& inside) { inside.vectorize("j"); }).unroll("j");
        const std::string left = print(History{without_decided_branches(kernel, solution, history.steps, {}, &call)});
        EXPECT_TRUE(left == "Y.0 vectorize j\n" || left == "Y.0 unroll j\n") << left;
        return left == "Y.0 vectorize j\n";
    };
    EXPECT_TRUE(is_taken({Term::Kind::at_least, {}, 0, 1, n, 8}));
    EXPECT_FALSE(is_taken({Term::Kind::at_least, {}, 0, 1, n, 9}));
    EXPECT_TRUE(is_taken({Term::Kind::stride_is, "X", 0, 1}));
    EXPECT_FALSE(is_taken({Term::Kind::stride_is, "X", 1, 1}));
    EXPECT_TRUE(is_taken({Term::Kind::stride_below, "X", 0, 1}));
    EXPECT_FALSE(is_taken({Term::Kind::stride_below, "Y", 0, 1}));
    EXPECT_TRUE(is_taken({Term::Kind::apart, "X", 0, 1, {}, {}, "Y"}));
    EXPECT_TRUE(is_taken({Term::Kind::threads_at_most, {}, 0, 1}));
}

TEST(History, PrintsTheDimOfASkippedPadAndThePanelsOfACopy) {
    History history;
    Steps(history.steps, "Y_value").skip_outside("X", 1).copy_in_panels("F", "F_pack", 3, 32);
    EXPECT_EQ(print(history),
              "Y_value.0 skip_outside X dim 1\n"
              "Y_value.0 copy_in F -> F_pack dim 3 in panels of 32\n");
}

TEST(History, OfOneKernelAndMachineIsAlwaysTheSame) {
    const Kernel kernel = kernel_of("C[i,j] += A[i,k]*B[k,j]");
    const Solution solution = solve(kernel).value();
    for (const Leg& leg : all_legs())
        EXPECT_EQ(recipe(kernel, solution, machine_of(leg)), recipe(kernel, solution, machine_of(leg)));
}

/// Halide takes a specialization away that never holds, and what is computed in it has no place then.
TEST(History, HasNoStepForCallsThatThereAreNone) {
    const Kernel kernel = kernel_of(
        "kernel k(F: i64[H, C], J: u16[M], A: i32[P, S], G: u16[M, Q, K], X: u16[N]) -> O: u16[0, P] { "
        "O[c, t] += min(u16(F[b, t]), J[r]) + (G[r, r, A[t, b]] - X[(c + b)%1]) }");
    const Solution solution = solve(kernel).value();
    for (const Leg& leg : all_legs())
        EXPECT_EQ(print(recipe(kernel, solution, machine_of(leg))).find("narrow"), std::string::npos) << leg.name;
}

TEST(History, DoesNotDependOnNames) {
    const Kernel one = kernel_of("C[i,j] += A[i,k]*B[k,j]"), other = kernel_of("R[m,n] += P[m,q]*S[q,n]");
    const Machine machine = machine_of(*find_leg("avx2"));
    EXPECT_EQ(recipe(one, solve(one).value(), machine).steps.size(),
              recipe(other, solve(other).value(), machine).steps.size());
}

TEST(History, NamesThePartialResultsOfAReduction) {
    History history;
    Steps(history.steps, "Y_value", 1).partial({"k"}, "Y_part", 16, 4, {}, {}, Tail::exact);
    Steps(history.steps, "Y_value", 2).partial({"k", "i"}, "Y_rest", 8, 2, {4}, {"Y", "j"}, Tail::predicate);
    const std::string text =
        "Y_value.1 partial k -> Y_part by 16, 4\n"
        "Y_value.2 partial k, i -> Y_rest by 8, 2, 4 tail predicate at Y.j\n";
    EXPECT_EQ(print(history), text);
    EXPECT_EQ(parse_history(text).value().steps, history.steps);
}

TEST(History, RefusesPartialResultsOfWhatIsNoReduction) {
    const Kernel kernel = kernel_of("kernel k(X: f32[N]) -> Y: f32[N] { Y[i] = X[i]; Y[i] += X[i] }");
    History history;
    Steps(history.steps, "Y_value", 1).partial({"i"}, "Y_part", 16, 4, {}, {}, Tail::exact);
    const auto bound = bind(kernel, solve(kernel).value(), history);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().kind, ErrorKind::schedule);
    EXPECT_EQ(bound.error().what, "update 1 of `Y_value` has no partial results over `i`");
    EXPECT_EQ(bound.error().fix, "name an update that reduces over that loop and reads no element of its own tensor");
}

TEST(History, RefusesAStepOnALoopThatIsNotThere) {
    const Kernel kernel = kernel_of("Y[i] = X[i] + 1");
    History history;
    Steps(history.steps, "Y").split("q", "qo", "qi", 8, Tail::guard);
    const auto bound = bind(kernel, solve(kernel).value(), history);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().kind, ErrorKind::schedule);
    EXPECT_EQ(bound.error().what, "step `Y.0 split q -> qo, qi by 8 tail guard`: there is no loop `q` in `Y.0`");
    EXPECT_EQ(bound.error().fix, "remove the step or name an existing loop");
}

TEST(History, RefusesAStepOnAFuncThatIsNotThere) {
    const Kernel kernel = kernel_of("Y[i] = X[i] + 1");
    History history;
    Steps(history.steps, "Z").compute_root();
    const auto bound = bind(kernel, solve(kernel).value(), history);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().what, "step `Z.0 compute_root`: there is no Func `Z`");
}

TEST(Bind, TakesASizeThatOnlyTheOutputKnowsAsAnArgument) {
    const Kernel kernel =
        kernel_of("kernel k(I: i32[N], W: f32[N], M_: f32) -> H: f32[M, M] { H[I[n], i] += M_*W[n] }");
    const Solution solution = solve(kernel).value();
    const auto bound = bind(kernel, solution, recipe(kernel, solution, machine_of(*find_leg("sse41"))));
    ASSERT_TRUE(bound);
    std::vector<std::string> names;
    for (const Halide::Argument& argument : bound.value().arguments) names.push_back(argument.name);
    EXPECT_THAT(names, testing::ElementsAre("I", "W", "scalar_M_", "M"));
}

TEST(Bind, TakesASizeThatARangeAloneHoldsFromTheOutputItIsTheExtentOf) {
    const Kernel kernel = kernel_of("Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N");
    const Solution solution = solve(kernel).value();
    const auto bound = bind(kernel, solution, recipe(kernel, solution, machine_of(*find_leg("sse41"))));
    ASSERT_TRUE(bound) << bound.error().what;
    std::vector<std::string> names;
    for (const Halide::Argument& argument : bound.value().arguments) names.push_back(argument.name);
    EXPECT_THAT(names, testing::ElementsAre("X", "N"));
}

TEST(Bind, RefusesASizeThatNoBufferTells) {
    const Kernel kernel =
        kernel_of("kernel k(X: f32[M]) -> Y: f32 { Z[i] = X[i] where i in 1:N; Y[j] += Z[i]*X[j] where i in 0:N }");
    const Solution solution = solve(kernel).value();
    const auto bound = bind(kernel, solution, {});
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().what, "no buffer has `N` as an extent");
    EXPECT_EQ(bound.error().fix, "make it a parameter of the kernel: `N: size`");
}

struct Classed {
    const char* text;
    int equation;
    EquationClass expected;
};

TEST(Classes, ComeFromTheAccessesAlone) {
    const Classed table[] = {
        {"Y[i] = X[i] + 1", 0, EquationClass::map},
        {"Y[i] += X[i,j]", 0, EquationClass::reduction},
        {"C[i,j] += A[i,k]*B[k,j]", 0, EquationClass::contraction},
        {"Y[x,k] += X[x + r, c]*F[r,c,k]", 0, EquationClass::convolution},
        {"Y[x] = X[x] + X[x + 1]", 0, EquationClass::stencil},
        {"Y[x] max= X[2*x + r] where r in 0:2", 0, EquationClass::stencil},
        {"Y[j,i] = X[i,j]", 0, EquationClass::layout_change},
        {"kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }", 1,
         EquationClass::scan},
        {"kernel k(I: i32[N], W: f32[N]) -> H: f32[M] { H[I[n]] += W[n] }", 0, EquationClass::gather_scatter},
        {"kernel k(I: i32[N], X: f32[M]) -> Y: f32 { Y[n] = X[I[n]] }", 0, EquationClass::gather_scatter},
        {"kernel k(I: i32[N], P: f32[M], X: f32[N]) -> Y: f32 { Y[n] = X[n] where P[I[n]] > 0 }", 0,
         EquationClass::gather_scatter},
        {"kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = X[i] where i in 1:N, Y[i-1] > 0 }", 1,
         EquationClass::scan},
    };
    for (const Classed& row : table) {
        const Kernel kernel = kernel_of(row.text);
        EXPECT_EQ(to_string(classify(kernel, solve(kernel).value(), row.equation)), to_string(row.expected))
            << row.text;
    }
}

}  // namespace
}  // namespace halogen
