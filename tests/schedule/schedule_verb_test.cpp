// halogen schedule, and histories in files for run and bench.

#include "tests/driver/program.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ScheduleVerb : public ProgramTest {};

TEST_F(ScheduleVerb, PrintsAHistoryThatRunTakes) {
    const Outcome printed = halogen("schedule matmul --leg sse41");
    EXPECT_THAT(printed.out, StartsWith("halogen history 2\nkernel matmul\nkey "));
    EXPECT_THAT(printed.out, AllOf(HasSubstr("\n\nvariant narrow when N <= 23 and "),
                                   HasSubstr("# loop nest of Halide, variant any\n#   produce C:")));
    write("h.txt", printed.out);
    const Outcome o = halogen("run matmul --set M=5 N=7 K=3 --random 1 --verify --leg sse41 --history h.txt");
    EXPECT_EQ(o.err, "");
    EXPECT_THAT(o.out, HasSubstr("verified against the interpreter"));
}

// Halide's printer ends with an internal error where it compiles: the schedule is the recipe's all the same.
TEST_F(ScheduleVerb, LeavesOutANestThatHalideCannotPrint) {
    const Outcome o = halogen(
        "schedule -e 'kernel k(X: f32[N, C, W], F: f32[C, K]) -> Y: f32[N, W] { M[n,k,x] += X[n,c,x]*F[c,k]; "
        "Y[n,x] += M[n,k,x] }' --leg avx2");
    EXPECT_EQ(o.err, "");
    EXPECT_THAT(o.out, HasSubstr(": M.0 specialize when "));
    EXPECT_THAT(o.out, HasSubstr("# loop nest of Halide\n#   Halide's printer fails for this nest\n"));
}

TEST_F(ScheduleVerb, SavesTextAndJsonThatAreEqual) {
    EXPECT_EQ(halogen("schedule softmax --save h.txt").err, "");
    EXPECT_EQ(halogen("schedule softmax --save h.json").err, "");
    EXPECT_EQ(halogen("schedule softmax --history h.json --diff h.txt").out, "the histories are equal\n");
    EXPECT_THAT(contents("h.json"), HasSubstr("\"kind\": \"compute_at\""));
    EXPECT_EQ(halogen("schedule softmax --history h.txt --save again.txt").err, "");
    EXPECT_EQ(contents("again.txt"), contents("h.txt"));
}

TEST_F(ScheduleVerb, TellsTheStateAndChecksItWhenTheHistoryIsReplayed) {
    write("h.txt", "Y.0 split i -> o, v by 4 tail guard\nY.0 vectorize v\n");
    const Outcome told = halogen("schedule -e 'Y[i] = X[i]' --history h.txt --state --save s.txt");
    EXPECT_THAT(told.out, HasSubstr("\n# state in Halide\n"
                                    "#   Y compute inline store inline hoist inline\n"
                                    "#     storage i\n"
                                    "#     bound i from 0 extent X.0\n"
                                    "#     Y.0\n"
                                    "#       loops o, v vectorized\n"
                                    "#       split i -> o, v by 4 tail guard\n"));
    const std::string saved = contents("s.txt");
    EXPECT_EQ(halogen("run -e 'Y[i] = X[i]' --set X.0=7 --random 1 --verify --history s.txt").exit_code, 0);
    write("s.txt", saved + "Y.0 parallel o\n");
    const Outcome o = halogen("run -e 'Y[i] = X[i]' --set X.0=7 --random 1 --history s.txt");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.err, StartsWith("halogen: the history leaves state "));
}

TEST_F(ScheduleVerb, RunsEveryPrefixOfAHistory) {
    write("h.txt", "Y.0 split j -> jo, ji by 4 tail guard\nY.0 reorder ji, i, jo\nY.0 vectorize ji\nY.0 parallel jo\n");
    for (int k = 0; k <= 4; k++) {
        EXPECT_EQ(
            halogen("schedule -e 'Y[i, j] = X[j, i]' --history h.txt --prefix " + std::to_string(k) + " --save p.txt")
                .err,
            "");
        const Outcome o = halogen("run -e 'Y[i, j] = X[j, i]' --set X.0=7 X.1=5 --random 1 --verify --history p.txt");
        EXPECT_EQ(o.err, "") << k;
        EXPECT_THAT(o.out, HasSubstr("verified against the interpreter: equal"));
    }
}

TEST_F(ScheduleVerb, ComparesHistories) {
    write("a.txt", "1: Y.0 split i -> o, v by 4 tail guard\n2: Y.0 vectorize v\n");
    write("b.txt", "1: Y.0 split i -> o, v by 8 tail guard\n2: Y.0 vectorize v\n3: Y.0 parallel o\n");
    EXPECT_EQ(halogen("schedule -e 'Y[i] = X[i]' --history a.txt --diff b.txt").out,
              "~ 1: Y.0 split i -> o, v by 4 tail guard => 1: Y.0 split i -> o, v by 8 tail guard\n"
              "+ 3: Y.0 parallel o\n");
}

TEST_F(ScheduleVerb, RefusesAHistoryThatWasWrittenForOtherEquations) {
    EXPECT_EQ(halogen("schedule matmul --save h.txt").err, "");
    const Outcome o = halogen("schedule softmax --history h.txt");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.err, StartsWith("halogen: the history was written for equations with key "));
    EXPECT_THAT(o.err, HasSubstr("\n  fix  replay it on the kernel it was written for, or rebind it with --rebind\n"));
}

TEST_F(ScheduleVerb, RebindsNamesThatOnlyAWhereHolds) {
    write("from.hgn", "kernel k(X: f32[N], P: size) -> C: f32 { C[i] += X[i] where a in 0:P }\n");
    write("to.hgn", "kernel k(Z: f32[M], Q: size) -> D: f32 { D[j] += Z[j] where b in 0:Q }\n");
    write("h.txt", "C_value.1 split a -> o, v by 4 tail guard\n");
    // Whether the step can be applied is another matter: it has the other names, saved or refused.
    const Outcome o = halogen("schedule to.hgn --history h.txt --rebind from.hgn --save r.txt");
    EXPECT_THAT(o.err + contents("r.txt"), HasSubstr("D_value.1 split b -> o, v by 4 tail guard"));
}

TEST_F(ScheduleVerb, RebindsAHistoryToEquationsWithOtherNames) {
    EXPECT_EQ(halogen("schedule matmul --save h.txt").err, "");
    const std::string other = "-e 'kernel mm(P: f32[U, V], Q: f32[V, W]) -> R: f32 { R[a, b] += P[a, c] * Q[c, b] }'";
    EXPECT_EQ(halogen("schedule " + other + " --history h.txt --rebind matmul --save r.txt").err, "");
    EXPECT_THAT(contents("r.txt"), HasSubstr(": R.0 "));
    const Outcome o = halogen("run " + other + " --set U=9 V=5 W=17 --random 1 --verify --history r.txt");
    EXPECT_EQ(o.err, "");
    EXPECT_THAT(o.out, HasSubstr("verified against the interpreter"));
}

TEST_F(ScheduleVerb, TellsFileLineAndColumnOfAMistake) {
    write("h.txt", "Y.0 vectorize i\nY.0 splat i\n");
    const Outcome o = halogen("schedule -e 'Y[i] = X[i]' --history h.txt");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_EQ(o.err,
              "halogen: h.txt:2:5: there is no kind of step `splat`\n"
              "  fix  the kinds are listed in docs/schedule-steps.md\n");
}

TEST_F(ScheduleVerb, TellsTheStepThatHalideRefuses) {
    write("h.txt", "Y_value.1 parallel j\n");
    const Outcome o = halogen("schedule -e 'Y[i] += X[i, j]' --history h.txt");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.err, StartsWith("halogen: step `Y_value.1 parallel j`: "));
}

TEST_F(ScheduleVerb, TakesOtherKnobValues) {
    write("h.txt",
          "halogen history 1\nknob lanes = 4 in 4, 8\n\nY.0 split i -> o, v by 4 tail guard knob lanes\nY.0 vectorize "
          "v\n");
    EXPECT_THAT(halogen("schedule -e 'Y[i] = X[i]' --history h.txt --knob lanes=8").out,
                HasSubstr("Y.0 split i -> o, v by 8 tail guard knob lanes\n"));
    EXPECT_EQ(halogen("schedule -e 'Y[i] = X[i]' --history h.txt --knob lanes=5").err,
              "halogen: knob `lanes` cannot be 5\n  fix  choose among 4, 8\n");
}

TEST_F(ScheduleVerb, LetsTheRecipeDecideOtherwise) {
    const std::string six = halogen("schedule matmul --leg avx2 --knob C_rows=5").out;
    EXPECT_THAT(six, HasSubstr("; C_rows = 5 in 1, 2, 3, 4, 5, 6, 7, 8, 10, 12; "));
    EXPECT_THAT(six, HasSubstr("C_value.0 registers j, i by 8, 2, 5 at C.j_t\n"));
    EXPECT_EQ(halogen("run matmul --leg avx2 --knob C_rows=5 C_vectors=1 --set M=11 K=3 N=9 --random 1 --verify").err,
              "");
    EXPECT_EQ(halogen("schedule matmul --leg avx2 --knob C_rows=9").err,
              "halogen: knob `C_rows` cannot be 9\n  fix  choose among 1, 2, 3, 4, 5, 6, 7, 8, 10, 12\n");
    write("h.txt", six);
    EXPECT_EQ(halogen("schedule matmul --leg avx2 --history h.txt --knob C_rows=6").err,
              "halogen: no step follows knob `C_rows`: it decided which steps there are\n"
              "  fix  choose it when the recipe writes the history: --knob without --history\n");
    EXPECT_EQ(
        halogen("compile matmul -o out --knob C_rows=6").err,
        "halogen: --knob changes one history, and every target has one of its own\n"
        "  fix  save one with `halogen schedule --leg LEG --knob NAME=INT --save FILE` and give it with --history\n");
    EXPECT_EQ(halogen("schedule matmul --rebind gemv").err,
              "halogen: --rebind changes a history, and none is given\n  fix  name one with --history FILE\n");
}

const std::string blur =
    "-e 'kernel k(X: i32[N]) -> Y: i32 { B[i] = X[i] + X[i+1]; Y[i] = B[i] + B[i+1] where i in 0:N-2 }' ";

TEST_F(ScheduleVerb, ChecksWithoutHalideWhenDry) {
    write("h.txt", "B.0 compute_at Y.o\n");
    EXPECT_EQ(halogen("schedule " + blur + "--dry --history h.txt").err,
              "halogen: step `B.0 compute_at Y.o`: there is no loop `o` in `Y`\n"
              "  fix  remove the step or name an existing loop\n");
    write("h.txt", "Y.0 split i -> o, v by 4 tail guard\nB.0 compute_at Y.o\nY.0 vectorize v\n");
    EXPECT_THAT(halogen("schedule " + blur + "--dry --history h.txt").out,
                testing::MatchesRegex("3 steps can be applied and leave state [0-9a-f]+\n"
                                      "not run on the shadow nest: size `N` of kernel `k` is open .give it with --set "
                                      "N=INT; the shadow nest counts every iteration.\n"));
    EXPECT_THAT(halogen("schedule " + blur + "--dry --history h.txt --set N=10").out,
                HasSubstr("shadow nest: 3 carried out, 0 on what it does not keep\n"
                          "cost 60, work 18, loads 36, stores 18, storage 5 elements; stored in B 10, Y 8\n"));
    write("h.txt", "Y_value.2 parallel i\n");
    const Outcome refused = halogen(
        "schedule -e 'kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }' --set N=8 "
        "--dry --history h.txt");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, StartsWith("halogen: step `Y_value.2 parallel i`: "));
}

TEST_F(ScheduleVerb, SkipsWhatCannotBeAppliedWithAllThatDependsOnIt) {
    write("h.txt",
          "Y.0 split q -> o, v by 4 tail guard\nB.0 compute_at Y.o\nY.0 split i -> p, w by 4 tail guard\nY.0 vectorize "
          "v\n"
          "Y.0 vectorize w\nY.0 specialize when N >= 8\n  Y.0 parallel nobody\n  Y.0 parallel p\n");
    const Outcome o = halogen("schedule " + blur + "--skip-illegal --history h.txt");
    EXPECT_THAT(o.out, StartsWith("Y.0 split i -> p, w by 4 tail guard\nY.0 vectorize w\nY.0 specialize when N >= 8\n"
                                  "  Y.0 parallel p\n"));
    EXPECT_THAT(o.out, HasSubstr("# skipped\n"
                                 "#   Y.0 split q -> o, v by 4 tail guard\n"
                                 "#     step `Y.0 split q -> o, v by 4 tail guard`: there is no loop `q` in `Y.0`\n"
                                 "#   B.0 compute_at Y.o\n"
                                 "#     it needs `Y.o`, which a skipped step would have made\n"
                                 "#   Y.0 vectorize v\n"
                                 "#     it needs `v`, which a skipped step would have made\n"
                                 "#   Y.0 parallel nobody\n"
                                 "#     step `Y.0 parallel nobody`: there is no loop `nobody` in `Y.0`\n"));
}

TEST_F(ScheduleVerb, LeavesStepsAloneThatOnlyLaterStepsMakeLegal) {
    const std::string matmul = "schedule --kernel matmul --leg avx512 --variants 1 ";
    halogen(matmul + "--save recipe.txt");
    halogen(matmul + "--skip-illegal --history recipe.txt --save rest.txt");
    EXPECT_THAT(contents("recipe.txt"), HasSubstr("tail predicate"));
    EXPECT_EQ(contents("rest.txt"), contents("recipe.txt"));
}

TEST_F(ScheduleVerb, SkipsWhatTheWholeMakesImpossible) {
    const std::string scan =
        "-e 'kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }' --history h.txt ";
    write("h.txt", "Y.0 split d0 -> o, v by 6 tail predicate\nY.0 vectorize v\nY_value.0 compute_at Y.v\n");
    const std::string why =
        "step `Y.0 vectorize v`: `Y_value` would be computed inside it, and its tail is a predicate\n"
        "  fix  place `Y_value` with compute_root or at a loop further out, or use tail guard\n";
    EXPECT_EQ(halogen("schedule " + scan).err, "halogen: " + why);
    EXPECT_EQ(halogen("schedule " + scan + "--dry").err, "halogen: " + why);
    EXPECT_THAT(halogen("schedule " + scan + "--skip-illegal").out,
                AllOf(StartsWith("Y.0 split d0 -> o, v by 6 tail predicate\nY_value.0 compute_at Y.v\n"),
                      HasSubstr("# skipped\n#   Y.0 vectorize v\n#     `Y_value` would be computed inside it")));
}

TEST_F(ScheduleVerb, FindsTheStepThatMakesAHistoryWrong) {
    write("h.txt",
          "Y.0 split i -> o, v by 4 tail guard\nY.0 vectorize v\nB.0 compute_root\nB.0 bound i 3\nY.0 parallel o\n");
    const Outcome o = halogen("schedule " + blur + "--bisect --leg sse41 --set N=10 --history h.txt");
    EXPECT_THAT(o.out, StartsWith("the first 3 steps are right, then comes\n  B.0 bound i 3\n  "));
    const Outcome right = halogen("schedule " + blur + "--bisect --leg sse41 --set N=10 --history h.txt --prefix 3");
    EXPECT_EQ(right.out, "all 3 steps are right\n");
}

TEST_F(ScheduleVerb, ComparesNestsAndWhatTheyDo) {
    write("a.txt", "B.0 compute_root\n");
    write("b.txt", "Y.0 split i -> o, v by 4 tail guard\nB.0 compute_at Y.o\n");
    EXPECT_EQ(halogen("schedule " + blur + "--set N=10 --history a.txt --diff b.txt --level effect").out,
              "- cost 85, work 17, loads 34, stores 17, storage 9 elements; stored in B 9, Y 8\n"
              "+ cost 92, work 18, loads 36, stores 18, storage 5 elements; stored in B 10, Y 8\n");
    const std::string nests = halogen("schedule " + blur + "--set N=10 --history a.txt --diff b.txt --level nest").out;
    EXPECT_THAT(nests, HasSubstr("+ for o in "));
    EXPECT_EQ(halogen("schedule " + blur + "--set N=10 --history a.txt --diff a.txt --level nest").out,
              "the nests are equal\n");
}

TEST_F(ScheduleVerb, ExplainsWhatEveryStepDoesToTheNest) {
    write("b.txt", "Y.0 split i -> o, v by 4 tail guard\nB.0 compute_at Y.o\nY.0 vectorize v\n");
    const std::string text = halogen("explain " + blur + "--set N=10 --history b.txt --all").out;
    EXPECT_THAT(text,
                HasSubstr("\nhistory\n    # cost 72, work 8, loads 32, stores 8, storage 0 elements; stored in Y 8\n"));
    EXPECT_THAT(text,
                HasSubstr("\n  B.0 compute_at Y.o\n"
                          "    # cost 92, work 18, loads 36, stores 18, storage 5 elements; stored in B 10, Y 8\n"));
    EXPECT_THAT(text, HasSubstr("\n  Y.0 vectorize v\n    # cost 60, work 18,"));
}

}  // namespace
}  // namespace halogen
