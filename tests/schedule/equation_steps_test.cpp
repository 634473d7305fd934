// Steps that Halide has no call for, done at the level of the equations: values on Halide around edges, and what is refused.

#include "generators/run/call_data.h"
#include "generators/run/executor.h"
#include "generators/run/verify.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/shadow.h"
#include "schedules/export/generator.h"
#include "schedules/history/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace halogen {
namespace {

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.front(); }

/// "" when the history gives the interpreter's values, in whole numbers, at every size; else what is wrong.
std::string run(const std::string& text, const std::string& steps, const std::vector<std::vector<std::string>>& sizes) {
    const Kernel kernel = kernel_of(text);
    const auto history = parse_history(steps);
    if (!history) return history.error().what;
    std::unique_ptr<Executor> executor;
    try {
        executor = std::make_unique<Executor>(kernel, *find_leg("sse41"), Settings{}, &history.value());
        for (const std::vector<std::string>& set : sizes) {
            Options options;
            options.set = set;
            options.random = 7;
            const CallData data = prepare_call(kernel, options, false);
            Tensors outputs = executor->make_outputs(data);
            executor->prepare(data, outputs)();
            verify(kernel, data, outputs);
        }
    } catch (const Failure& failure) {
        return failure.error().what + "\n  fix  " + failure.error().fix;
    }
    return "";
}

/// What the shadow nest refuses of a history, one line each.
std::string refused_by_shadow(const std::string& text, const std::string& steps,
                              const std::vector<std::string>& sizes) {
    const Kernel kernel = kernel_of(text);
    const auto run = run_shadow(kernel, solve_open(kernel), parse_history(steps).value(), parse_settings(sizes));
    if (!run) return run.error().what;
    std::string all;
    for (const ShadowRefusal& r : run.value().refused) all += r.why + "\n";
    return all;
}

const std::vector<std::vector<std::string>> edges{{"M=0", "N=0"}, {"M=1", "N=1"}, {"M=3", "N=7"},  {"M=7", "N=8"},
                                                  {"M=8", "N=9"}, {"M=9", "N=3"}, {"M=13", "N=17"}};

struct Case {
    const char* kernel;
    const char* steps;
};

const char* const shifted = "kernel k(X: i32[M, N pad 2] else 3) -> Y: i32[M, N] { Y[i,j] = X[i,j-1] + 2*X[i,j+1] }";
const char* const centred =
    "kernel k(X: i32[M, N]) -> Y: i32 { S[i] += X[i,j]; D[i,j] = X[i,j] - S[i]; Y[i,j] = D[i,j]*D[i,j] + S[i] }";

const Case caches[] = {
    {"kernel k(X: i32[M, N]) -> Y: i32 { Y[i,j] = 3*X[i,j] + X[i,j]*X[i,j] }",
     "Y.0 split j -> jo, ji by 8 tail guard\nY.0 cache_reads X -> Xc Y.jo\nXc.0 split Xc_d1 -> a, b by 4 tail guard\n"
     "Xc.0 vectorize b\nY.0 vectorize ji\n"},
    {shifted, "Y.0 cache_reads X -> Xc Y.i\n"},
    {centred,
     "S.0 compute_root\nD.0 compute_root\nY_value.0 cache_reads S -> Sc Y.i\nSc.0 store_in_stack\n"
     "Y.0 cache_reads D -> Dc Y.i\n"},
    {"kernel k(X: i32[M, N]) -> Y: i32 { Y[i] += X[i,j] }",
     "Y_value.0 compute_at Y.i\nY_value.1 cache_reads X -> Xc Y_value.j\n"},
    {"kernel k(X: i32[M, N]) -> Y: i32 { Y[i,j] = 3*X[i,j] }",
     "Y.0 split j -> jo, ji by 8 tail guard\nY.0 cache_writes -> Yc Y.jo\nYc.0 split j -> a, b by 4 tail guard\n"
     "Yc.0 vectorize b\nY.0 vectorize ji\n"},
    {"kernel k(X: i32[M, N]) -> Y: i32 { Y[i] += X[i,j] }",
     "Y_value.0 compute_root\nY_value.1 split i -> io, ii by 4 tail guard\nY_value.1 cache_writes -> R Y_value.io\n"
     "R.1 reorder i, j\n"},
    {centred,
     "S.0 compute_root\nS_value.0 compute_root\nS.0 cache_writes -> Sc S.i\nD.0 cache_writes -> Dc D.i\n"
     "D.0 compute_at Y.i\n"},
    {"kernel k(A: i32[M, N], B: i32[N, M]) -> C: i32 { C[i,j] += A[i,r]*B[r,j] }",
     "C.0 tile i, j -> io, jo, ii, ji by 4, 8 tail guard\nC_value.0 compute_at C.jo\n"
     "C_value.1 cache_writes -> P C_value.i\nC_value.1 cache_reads B -> Bc C.jo\nC_value.1 cache_reads A -> Ac C.io\n"},
};

TEST(EquationSteps, CachesGiveTheInterpretersValuesAroundEdges) {
    for (const Case& c : caches) EXPECT_EQ(run(c.kernel, c.steps, edges), "") << c.kernel << "\n" << c.steps;
}

TEST(EquationSteps, CachesStandInTheExportedGeneratorAndOnTheShadowNest) {
    for (const Case& c : caches) {
        const Kernel kernel = kernel_of(c.kernel);
        const History history = parse_history(c.steps).value();
        EXPECT_TRUE(export_generator(kernel, solve_open(kernel), history)) << c.steps;
        EXPECT_EQ(print(parse_history(print(history)).value()), print(history));
        EXPECT_EQ(refused_by_shadow(c.kernel, c.steps, {"M=9", "N=11"}), "") << c.steps;
    }
}

struct Refused {
    const char* kernel;
    const char* steps;
    const char* error;
};

const char* const scan = "kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }";
const char* const two_results = "kernel k(X: i32[M, N]) -> (Y: i32, Z: i32) { Y[i,j] = 3*X[i,j]; Z[i,j] = X[i,j] + 1 }";
const char* const column_scan =
    "kernel k(X: i32[M, N]) -> Y: i32[M, N] { Y[0,j] = X[0,j]; Y[i,j] = Y[i-1,j] + X[i,j] where i in 1:M }";
const char* const row_sums = "kernel k(X: i32[M, N]) -> Y: i32 { Y[i] += X[i,j] }";

const Refused refused_caches[] = {
    {centred, "Y.0 cache_reads Q -> Qc Y.i\n",
     "step `Y.0 cache_reads Q -> Qc Y.i`: there is no tensor `Q`\n  fix  name a tensor of the kernel"},
    {centred, "S.0 cache_reads D -> Dc Y.i\n",
     "step `S.0 cache_reads D -> Dc Y.i`: the equations of `S` do not read `D`\n"
     "  fix  name the Func whose equations it is, such as `T_value`"},
    {centred, "Y.0 cache_reads X -> Y_value Y.i\n",
     "step `Y.0 cache_reads X -> Y_value Y.i`: there is a Func `Y_value` already\n  fix  choose another name"},
    {centred, "Y.0 cache_reads D -> Dc Y.io\n",
     "step `Y.0 cache_reads D -> Dc Y.io`: there is no loop `io` in `Y`\n"
     "  fix  remove the step or name an existing loop"},
    {centred, "S_value.0 cache_writes -> Sc S.i\n",
     "step `S_value.0 cache_writes -> Sc S.i`: `S_value.0` is a start: it is written once and needs no copy\n"
     "  fix  name the stage that reduces, or `T` in place of `T_value`"},
    {scan, "Y_value.2 cache_writes -> Yc Y.d0\n",
     "step `Y_value.2 cache_writes -> Yc Y.d0`: `Y_value.2` is no reduction over whole loops of `Y`: what it writes "
     "lies among other values\n  fix  copy all values: `Y.0 cache_writes -> Yc …`"},
    {row_sums, "Q.0 cache_writes -> Yc Y.i\n",
     "step `Q.0 cache_writes -> Yc Y.i`: no equation of the kernel writes a Func `Q`\n"
     "  fix  name a Func of the kernel, such as `T` or `T_value`"},
    {row_sums, "Y_value.1 partial j -> P by 8, 4\nY_value.1 cache_writes -> R Y.i\n",
     "step `Y_value.1 cache_writes -> R Y.i`: step `Y_value.1 partial j -> P by 8, 4` gives the stage partial "
     "results\n  fix  keep one of the two"},
    {row_sums, "Y_value.0 specialize when N >= 8\n  Y_value.0 cache_writes -> R Y.i\n",
     "step `Y_value.0 cache_writes -> R Y.i`: it changes the equations, which are the same in every branch\n"
     "  fix  write it outside of the specialize"},
};

TEST(EquationSteps, CachesThatTheEquationsCannotHaveAreRefused) {
    for (const Refused& r : refused_caches) {
        const Kernel kernel = kernel_of(r.kernel);
        const auto bound = bind(kernel, solve_open(kernel), parse_history(r.steps).value());
        ASSERT_FALSE(bound) << r.steps;
        EXPECT_EQ(bound.error().what + "\n  fix  " + bound.error().fix, r.error);
    }
}

const char* const product = "kernel k(A: i32[M, N], B: i32[N, M]) -> C: i32 { C[i,j] += A[i,r]*B[r,j] }";
const char* const affine = "kernel k(X: i32[M, N]) -> Y: i32 { Y[i,j] = 3*X[i,j] + 1 }";

const Case parts[] = {
    {affine, "Y.0 slice_head j -> a, b by 8\n"},
    {affine, "Y.0 slice_tail j -> a, b by 8\nY.0 split b -> bo, bi by 4 tail guard\nY.0 vectorize bi\n"},
    {affine,
     "Y.0 slice_head i -> a, b by 8\nY.0 slice_tail b -> c, d by 1\nY.0 slice_head j -> e, f by 7\nY.0 reorder a, e\n"
     "Y.0 parallel c\n"},
    {affine,
     "Y.0 split j -> jo, ji, jt by 8 tail separate\nY.0 vectorize ji\nY.0 parallel i\n"
     "Y.0 split jt -> to, ti by 4 tail guard\nY.0 vectorize ti\n"},
    {affine,
     "Y.0 split i -> io, ii, it by 4 tail separate\nY.0 split j -> jo, ji, jt by 8 tail separate\n"
     "Y.0 reorder ji, ii, jo, io\nY.0 vectorize ji\nY.0 unroll ii\n"},
    {shifted,
     "Y.0 slice_head j -> a, b by 1\nY.0 slice_tail b -> c, d by 1\nX_pad.0 compute_root\n"
     "Y_value_b.0 cache_reads X -> Xc Y.c\n"},
    {row_sums,
     "Y_value.0 compute_root\nY_value.0 slice_head i -> a, b by 8\nY_value.1 slice_tail j -> c, d by 3\n"
     "Y_value.1 split c -> co, ci by 4 tail guard\nY_value.1 atomic\nY_value.1 vectorize ci\n"},
    {row_sums, "Y_value.0 compute_at Y.i\nY_value.1 split j -> jo, ji, jt by 8 tail separate\nY_value.1 unroll ji\n"},
    {product,
     "C.0 slice_head i -> a, b by 8\nC_value.0 compute_at C.a\n"
     "C.0 split b -> bo, bi by 4 tail guard\nC_value_b.0 compute_at C.bo\nC_value_b.1 split j -> jo, ji by 8 tail "
     "guard\n"
     "C_value_b.1 reorder ji, r, jo\nC_value_b.1 vectorize ji\n"},
    {centred,
     "S.0 compute_root\nS_value.0 compute_root\nD.0 compute_root\nD.0 slice_tail i -> a, b by 3\n"
     "S.0 slice_head i -> c, d by 2\nY.0 slice_head i -> e, f by 8\nY_value_f.0 cache_reads D -> Df Y.f\n"
     "Y_value_f.0 copy_in S -> Sf\nSf.0 compute_at Y.f\n"},
    {"kernel k(X: i32[M, N]) -> Y: i32 { Y[i,j] = X[i,j]*X[i,j] where X[i,j] > 3 }",
     "Y.0 slice_head j -> a, b by 8\nY.0 specialize when N >= 8\n  Y.0 parallel i\n  Y.0 unroll a\n"
     "Y_value_b.0 compute_at Y.b\n"},
};

TEST(EquationSteps, PartsGiveTheInterpretersValuesAroundEdges) {
    for (const Case& c : parts) EXPECT_EQ(run(c.kernel, c.steps, edges), "") << c.kernel << "\n" << c.steps;
}

TEST(EquationSteps, PartsOfARecurrenceKeepItsOrder) {
    EXPECT_EQ(run(column_scan,
                  "Y_value.0 compute_root\nY_value.2 slice_head i -> a, b by 8\n"
                  "Y_value.2 slice_head j -> c, d by 4\nY_value.2 parallel d\n",
                  {{"M=1", "N=1"}, {"M=2", "N=4"}, {"M=8", "N=3"}, {"M=9", "N=5"}, {"M=10", "N=9"}, {"M=23", "N=17"}}),
              "");
}

TEST(EquationSteps, PartsStandInTheExportedGeneratorAndOnTheShadowNest) {
    for (const Case& c : parts) {
        const Kernel kernel = kernel_of(c.kernel);
        const History history = parse_history(c.steps).value();
        EXPECT_TRUE(export_generator(kernel, solve_open(kernel), history)) << c.steps;
        EXPECT_EQ(print(parse_history(print(history)).value()), print(history));
        EXPECT_EQ(refused_by_shadow(c.kernel, c.steps, {"M=9", "N=11"}), "") << c.steps;
        EXPECT_EQ(refused_by_shadow(c.kernel, c.steps, {"M=3", "N=2"}), "") << c.steps;
    }
}

TEST(EquationSteps, PartsAreStagesOfTheState) {
    const Kernel kernel = kernel_of(affine);
    const auto bound = bind(kernel, solve_open(kernel),
                            parse_history("Y.0 parallel j\nY.0 split i -> io, ii, it by 4 tail separate\n").value());
    ASSERT_TRUE(bound) << bound.error().what;
    EXPECT_EQ(print("Y", bound.value().state.at("Y")),
              "Y compute inline store inline hoist inline\n"
              "  storage j, i\n"
              "  bound i from 0 extent M\n"
              "  bound j from 0 extent N\n"
              "  Y.0 computes nothing\n"
              "    loops i, j\n"
              "  Y.0 part 1\n"
              "    loops reduced io, reduced ii, j parallel\n"
              "    split i -> io, ii by 4 tail guard\n"
              "  Y.0 part 2\n"
              "    loops reduced it, j parallel\n");
}

const Refused refused_parts[] = {
    {affine, "Y.0 split i -> a, b by 4 tail guard\nY.0 slice_head b -> c, d by 2\n",
     "step `Y.0 slice_head b -> c, d by 2`: there is no loop `b` in the equation of `Y.0`\n"
     "  fix  slice loops of the equation, or parts of them"},
    {affine, "Y.0 split i -> a, b by 4 tail guard\nY.0 slice_head i -> c, d by 2\n",
     "step `Y.0 slice_head i -> c, d by 2`: loop `i` was removed by step `Y.0 split i -> a, b by 4 tail guard`\n"
     "  fix  slice the loop first, and take its parts apart then"},
    {affine, "Y.0 slice_head i -> a, b by 0\n",
     "step `Y.0 slice_head i -> a, b by 0`: it takes a number of iterations, and has `0`\n"
     "  fix  give a number from 1"},
    {affine, "Y.0 slice_head i -> a, b by N\n",
     "step `Y.0 slice_head i -> a, b by N`: it takes a number of iterations, and has `N`\n"
     "  fix  give a number from 1"},
    {affine, "Y.0 slice_head i -> a, a by 2\n",
     "step `Y.0 slice_head i -> a, a by 2`: it makes two loops `a`\n  fix  give each loop a name of its own"},
    {affine, "Y.0 slice_head i -> a, j by 2\n",
     "step `Y.0 slice_head i -> a, j by 2`: there is a loop `j` already\n  fix  choose another name"},
    {affine, "Y.1 slice_head i -> a, b by 2\n",
     "step `Y.1 slice_head i -> a, b by 2`: `Y` has stages 0 to 0\n  fix  remove the step or name an existing loop"},
    {affine, "Y.0 tile i, j -> a, b, c, d by 4, 8 tail separate\n",
     "step `Y.0 tile i, j -> a, b, c, d by 4, 8 tail separate`: a tile has no names for separate tails\n"
     "  fix  write two splits with tail separate, and a reorder"},
    {affine, "Y_value.0 slice_head i -> a, b by 2\n",
     "step `Y_value.0 slice_head i -> a, b by 2`: `Y_value` is pasted into its readers: it has no loops of its own\n"
     "  fix  compute `Y_value` somewhere first"},
    {affine, "Y.0 cache_reads X -> Xc Y.i\nXc.0 slice_head Xc_d0 -> a, b by 2\n",
     "step `Xc.0 slice_head Xc_d0 -> a, b by 2`: `Xc` has no equation of the kernel that could run in parts\n"
     "  fix  name a Func of the kernel, such as `T` or `T_value`, or use tail guard"},
    {affine, "Y.0 specialize when N >= 8\n  Y.0 slice_head i -> a, b by 2\n",
     "step `Y.0 slice_head i -> a, b by 2`: it changes the equations, which are the same in every branch\n"
     "  fix  write it outside of the specialize"},
    {"kernel k(X: i32[M, N]) -> Y: i32[M, N] { Y[0,j] = X[0,j]; Y[i,j] = Y[i-1,j+1] + X[i,j] where i in 1:M, j in "
     "0:N-1 }",
     "Y_value.2 slice_head j -> a, b by 2\n",
     "step `Y_value.2 slice_head j -> a, b by 2`: its parts would run one after the other, and `Y[i,j] = Y[i-1,j+1] + "
     "X[i,j] where i in 1:M, j in 0:N-1` depends on their order within loop `i`\n  fix  slice loop `i`"},
    {row_sums, "Y_value.0 compute_root\nY_value.1 partial j -> P by 8, 4\nY_value.1 slice_head j -> a, b by 2\n",
     "step `Y_value.1 slice_head j -> a, b by 2`: step `Y_value.1 partial j -> P by 8, 4` has changed the equation\n"
     "  fix  keep one of the two"},
    {centred, "S.0 compute_root\nD.0 compute_at Y.a\nY.0 slice_head i -> a, b by 2\n",
     "step `D.0 compute_at Y.a`: another part of `Y`, in loop `b`, reads `D` too\n"
     "  fix  place `D` with compute_root, or give the reader in this part a copy of its own: `… cache_reads` or `… "
     "copy_in`"},
    {affine, "Y.0 slice_head i -> a, b by 2\nY.0 split i -> c, d by 2 tail guard\n",
     "step `Y.0 split i -> c, d by 2 tail guard`: there is no loop `i` in `Y.0`\n"
     "  fix  remove the step or name an existing loop"},
    {two_results, "Y.0 slice_head i -> a, b by 2\nZ.0 compute_with with Y.0.j\n",
     "step `Z.0 compute_with with Y.0.j`: several parts of `Y.0` have a loop `j`\n"
     "  fix  name a loop that one part alone has"},
};

TEST(EquationSteps, PartsThatTheEquationsCannotHaveAreRefused) {
    for (const Refused& r : refused_parts) {
        const Kernel kernel = kernel_of(r.kernel);
        const auto bound = bind(kernel, solve_open(kernel), parse_history(r.steps).value());
        ASSERT_FALSE(bound) << r.steps;
        EXPECT_EQ(bound.error().what + "\n  fix  " + bound.error().fix, r.error);
    }
}

}  // namespace
}  // namespace halogen
