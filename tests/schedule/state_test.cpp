// The state that steps leave: Halide's own, read back after a history was bound.

#include "generators/run/executor.h"
#include "schedules/bind/bind.h"
#include "schedules/history/kinds.h"
#include "schedules/history/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace halogen {
namespace {

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.front(); }

/// The state after `steps`, or what is wrong with them.
std::string state_after(const std::string& text, const std::string& steps) {
    const Kernel kernel = kernel_of(text);
    const auto bound = bind(kernel, solve_open(kernel), parse_history(steps).value());
    return bound ? print(bound.value().state) : bound.error().what + "\n  fix  " + bound.error().fix;
}

TEST(State, PartialResultsLieInTheOrderOfTheirLoopsWhateverThatOfTheStep) {
    const std::string text = "kernel k(X: u8[N]) -> Y: i32[4] { Y[X[n]%4] += 1 }",
                      splits =
                          "Y_value.0 compute_root\nY_value.1 split n -> t, r by 8 tail guard\n"
                          "Y_value.1 split r -> o, i by 4 tail guard\n";
    for (const char* step : {"rfactor t, i -> P, kt, ki\n", "rfactor i, t -> P, ki, kt\n"})
        EXPECT_NE(state_after(text, splits + "Y_value.1 " + step).find("storage d0, ki, kt\n"), std::string::npos)
            << step;
}

TEST(State, TellsLoopsSplitsLevelsStorageAndBranches) {
    EXPECT_EQ(state_after("kernel k(X: f32[H, W]) -> Y: f32 { S[i] += X[i,j]; Y[i,j] = X[i,j] - S[i] }",
                          "S_value.0 compute_at S.i\nS_value.0 store_in_stack\nS.0 compute_at Y.io\n"
                          "S.0 align_storage i 8\n"),
              "step `S.0 compute_at Y.io`: there is no loop `io` in `Y`\n"
              "  fix  remove the step or name an existing loop");
    EXPECT_EQ(state_after("kernel k(X: f32[H, W]) -> Y: f32 { S[i] += X[i,j]; Y[i,j] = X[i,j] - S[i] }",
                          "Y.0 split i -> io, ii by 4 tail guard\nY.0 parallel io\nY.0 never_partition io\n"
                          "S_value.0 compute_at S.i\nS_value.0 store_in_stack\nS.0 compute_at Y.io\n"
                          "S.0 align_storage i 8\nS_value.1 split j -> jo, jv by 8 tail guard\nS_value.1 atomic\n"
                          "S_value.1 vectorize jv\nY.0 specialize when W >= 16\n  Y.0 unroll ii\n"),
              "S compute Y.io store inline hoist inline\n"
              "  storage i align 8\n"
              "  S.0\n"
              "    loops i\n"
              "S_value compute S.i store inline hoist inline stack\n"
              "  storage i\n"
              "  S_value.0\n"
              "    loops i\n"
              "  S_value.1\n"
              "    loops i, reduced jo, reduced jv vectorized\n"
              "    split j -> jo, jv by 8 tail guard\n"
              "    atomic\n"
              "Y compute inline store inline hoist inline\n"
              "  storage j, i\n"
              "  bound i from 0 extent H\n"
              "  bound j from 0 extent W\n"
              "  Y.0\n"
              "    loops io parallel partition never, ii, j\n"
              "    split i -> io, ii by 4 tail guard\n"
              "    when W >= 16\n"
              "      loops io parallel partition never, ii unrolled, j\n"
              "      split i -> io, ii by 4 tail guard\n"
              "Y_value compute inline store inline hoist inline\n"
              "  storage j, i\n"
              "  Y_value.0\n"
              "    loops i, j\n");
}

TEST(State, OfPartialResultsIsThatOfTheStageWithoutTheSplitsOfItsReduction) {
    EXPECT_EQ(state_after("kernel k(X: f32[H, W, C]) -> S: f32 { S[i] += X[i,j,k] }",
                          "S_value.0 compute_at S.i\nS_value.1 split i -> io, ii by 4 tail guard\n"
                          "S_value.1 split k -> ko, ki by 8 tail guard\nS_value.1 reorder ki, io, ko\n"
                          "S_value.1 unroll ii\nS_value.1 unroll ki\nS_value.1 rename j -> jj\n"
                          "S_value.1 rfactor ki -> P, u\nP.0 compute_at S_value.i\nP.1 vectorize u\n"),
              "P compute S_value.i store inline hoist inline\n"
              "  storage i, u\n"
              "  P.0\n"
              "    loops u, i\n"
              "  P.1\n"
              "    loops reduced ko, ii unrolled, reduced jj, io, u vectorized\n"
              "    split i -> io, ii by 4 tail guard\n"
              "S compute inline store inline hoist inline\n"
              "  storage i\n"
              "  bound i from 0 extent H\n"
              "  S.0\n"
              "    loops i\n"
              "S_value compute S.i store inline hoist inline\n"
              "  storage i\n"
              "  S_value.0\n"
              "    loops i\n"
              "  S_value.1\n"
              "    loops ii unrolled, io, reduced ki unrolled\n"
              "    split i -> io, ii by 4 tail guard\n");
}

TEST(State, OfATailThatDoesNotMatterIsTheOneThatCostsNothing) {
    const std::string text =
        state_after("kernel k(X: f32[H, W]) -> S: f32 { S[i] += X[i,j] }",
                    "S_value.0 compute_at S.i\nS_value.0 bound_extent i 8\n"
                    "S_value.0 split i -> a, b by 4 tail exact\nS_value.0 split a -> c, d by 2 tail exact\n"
                    "S_value.1 split i -> a, b by 4 tail exact\nS_value.1 split b -> c, d by 2 tail exact\n"
                    "S_value.1 split j -> ja, jb by 4 tail exact\n");
    EXPECT_THAT(text, testing::HasSubstr("    split i -> a, b by 4 tail shift_inwards\n"
                                         "    split a -> c, d by 2 tail round_up\n"));
    EXPECT_THAT(text, testing::HasSubstr("    split i -> a, b by 4 tail round_up\n"
                                         "    split b -> c, d by 2 tail guard\n"
                                         "    split j -> ja, jb by 4 tail guard\n"));
}

TEST(State, OfStagesInsideAPredicatedVectorIsRefusedAsHalideEndsTheProcessOverIt) {
    const std::string scan = "kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }";
    const std::string vectors = "Y.0 split d0 -> o, v by 6 tail predicate\nY.0 vectorize v\n";
    EXPECT_EQ(state_after(scan, vectors),
              "step `Y.0 vectorize v`: `Y_value` would be computed inside it, and its tail is a predicate\n"
              "  fix  place `Y_value` with compute_root or at a loop further out, or use tail guard");
    EXPECT_EQ(state_after(scan, vectors + "Y_value.0 compute_at Y.v\n"), state_after(scan, vectors));
    EXPECT_THAT(state_after(scan, vectors + "Y_value.0 compute_at Y.o\n"), testing::HasSubstr("vectorized"));
    EXPECT_THAT(state_after(scan, "Y.0 split d0 -> o, v by 6 tail guard\nY.0 vectorize v\n"),
                testing::HasSubstr("vectorized"));
}

TEST(State, OfAVectorWithOneLaneBeyondWholeRegistersIsRefusedAsHalideEndsTheProcessOverIt) {
    const std::string map = "kernel k(X: i32[N]) -> Y: i32[N] { Y[i] = 3*X[i] + 1 }";
    EXPECT_EQ(state_after(map, "Y.0 split i -> o, v by 5 tail guard\nY.0 vectorize v\n"),
              "step `Y.0 vectorize v`: its 5 lanes are one more than registers hold, and its tail is guarded\n"
              "  fix  split by 4");
    EXPECT_THAT(state_after(map, "Y.0 split i -> o, v by 6 tail guard\nY.0 vectorize v\n"),
                testing::HasSubstr("vectorized"));
    EXPECT_THAT(state_after(map, "Y.0 split i -> o, v by 5 tail shift_inwards\nY.0 vectorize v\n"),
                testing::HasSubstr("vectorized"));
}

TEST(State, OfAHistoryThatTellsItIsChecked) {
    const Kernel kernel = kernel_of("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i] }");
    const Solution open = solve_open(kernel);
    History history = parse_history("Y.0 split i -> o, v by 4 tail guard\nY.0 vectorize v\n").value();
    const std::string hash = state_hash(bind(kernel, open, history).value().state);
    history.header.state = hash;
    EXPECT_TRUE(bind(kernel, open, history));
    history.steps.pop_back();
    const auto bound = bind(kernel, open, history);
    ASSERT_FALSE(bound);
    history.header.state.clear();
    EXPECT_EQ(bound.error().what, "the history leaves state " + state_hash(bind(kernel, open, history).value().state) +
                                      ", and its header says " + hash);
    EXPECT_EQ(bound.error().fix,
              "it was changed after it was saved: compare it with the one you mean, or remove the line `state`");
}

/// What Halide makes one expression of is one number, though steps tell it in two ways.
TEST(State, OfNumbersThatHalideFoldsIntoOneIsThatOfTheSteps) {
    EXPECT_THAT(
        state_after("kernel k(X: f32[H, W]) -> Y: f32 { Y[i,j] = X[i,j] }",
                    "Y.0 split i -> io, ii by max(1, 1 - min(1, 1/(max(1, W)))) tail guard\n"
                    "Y.0 split j -> jo, ji by 1 tail guard\n"),
        testing::AllOf(testing::HasSubstr("split i -> io, ii by max(1, 1 - min(1, 1/(max(1, W)))) tail guard\n"),
                       testing::HasSubstr("split j -> jo, ji by 1 tail guard\n")));
}

/// What the equations became for a history: every definition, in Halide's words.
std::string equations_of(const Kernel& kernel, const History& history) {
    const Lowered lowered = lower(kernel, solve_open(kernel), emission_of(history));
    std::ostringstream text;
    for (const LoweredFunc& f : lowered.funcs) {
        const Halide::Internal::Function function = f.func.function();
        text << f.name << " = " << function.values()[0] << "\n";
        for (const auto& update : function.updates())
            text << "  " << update.values()[0] << " where " << update.predicate() << "\n";
    }
    // Halide numbers Funcs and common terms through.
    return std::regex_replace(text.str(), std::regex("\\$[0-9]+|\\bt[0-9]+\\b"), "");
}

/// What becomes of a step of a kind: a change of Halide's state, one of the equations, a claim that is looked after, or a refusal.
enum class Fate { state, equations, claim, refused };
struct Example {
    StepKind kind;
    Fate fate;
    const char* steps;  // the last is the one
    const char* kernel = "kernel k(X: f32[H, W]) -> Y: f32 { S[i] += X[i,j]; Y[i,j] = X[i,j] - S[i] }";
};

const char* const two_sums = "kernel k(X: f32[H, W]) -> (Y: f32, Z: f32) { Y[i] += X[i,j]; Z[i] max= X[i,j] }";

const Example examples[] = {
    {StepKind::copy_in, Fate::equations, "Y_value.0 copy_in X -> X_copy\n"},
    {StepKind::twin, Fate::equations, "Y.0 twin -> Y_other when W >= 8\n"},
    {StepKind::in_place, Fate::equations, "Y.0 in_place\n"},
    {StepKind::skip_outside, Fate::equations, "Y_value.0 skip_outside X dim 0\n",
     "kernel k(X: f32[W pad 1]) -> Y: f32[W] { Y[i] += X[i+r] where r in -1:2 }"},
    {StepKind::partial, Fate::equations, "S_value.1 partial j -> P by 8, 4\n"},
    {StepKind::partial, Fate::equations, "S.0 compute_at Y.i\nS_value.1 partial j -> P by 8, 4 at Y.i\n"},
    {StepKind::partial, Fate::equations, "S_value.1 partial j -> P by 8, 4 tail predicate\n"},
    {StepKind::group, Fate::equations,
     "Y_value.0 copy_in A -> A_copy\nY_value.0 copy_in B -> B_copy dim 1 in panels of 8\nY_value.0 group k by 4\n",
     "kernel k(A: f32[M, K], B: f32[K, N]) -> Y: f32 { Y[i,j] += A[i,k]*B[k,j] }"},
    {StepKind::overcompute, Fate::equations, "S_value.0 overcompute i\n"},
    {StepKind::compute_root, Fate::state, "S.0 compute_root\n"},
    {StepKind::compute_at, Fate::state, "S.0 compute_at Y.i\n"},
    {StepKind::compute_inline, Fate::state, "Y_value.0 compute_at Y.i\nY_value.0 compute_inline\n"},
    {StepKind::store_root, Fate::state, "S.0 compute_at Y.i\nS.0 store_root\n"},
    {StepKind::store_at, Fate::state, "S.0 compute_at Y.j\nS.0 store_at Y.i\n"},
    {StepKind::hoist_storage, Fate::state, "S.0 compute_at Y.j\nS.0 hoist_storage Y.i\n"},
    {StepKind::hoist_storage_root, Fate::state, "S.0 compute_at Y.j\nS.0 hoist_storage_root\n"},
    {StepKind::store_in_stack, Fate::state, "S.0 compute_at Y.i\nS.0 store_in_stack\n"},
    {StepKind::registers, Fate::state, "Y_value.0 registers j, i by 8, 2 at Y.i\n",
     "kernel k(A: f32[M, K], B: f32[K, N]) -> Y: f32 { Y[i,j] += A[i,k]*B[k,j] }"},
    {StepKind::bound_extent, Fate::state, "S_value.0 bound_extent i 8\n"},
    {StepKind::bound, Fate::state, "S_value.0 bound i H\n"},
    {StepKind::reorder_storage, Fate::state, "Y_value.0 compute_root\nY_value.0 reorder_storage i, j\n"},
    {StepKind::align_storage, Fate::state, "S.0 align_storage i 8\n"},
    {StepKind::fold_storage, Fate::state, "S.0 fold_storage i 2\n"},
    {StepKind::compress, Fate::claim, "S.0 compute_at Y.i\nS.0 compress\n"},
    {StepKind::async, Fate::state, "S.0 compute_root\nS.0 async\n"},
    {StepKind::split, Fate::state, "Y.0 split i -> a, b by 4 tail guard\n"},
    {StepKind::tile, Fate::state, "Y.0 tile i, j -> a, b, c, d by 4, 8 tail guard\n"},
    {StepKind::fuse, Fate::state, "Y.0 fuse j, i -> f\n"},
    {StepKind::flatten, Fate::state, "Y.0 flatten j, i -> f\n"},
    {StepKind::reorder, Fate::state, "Y.0 reorder i, j\n"},
    {StepKind::rename, Fate::state, "Y.0 rename i -> q\n"},
    {StepKind::vectorize, Fate::state, "Y.0 split j -> a, b by 4 tail guard\nY.0 vectorize b\n"},
    {StepKind::vectorize, Fate::state, "Y.0 vectorize j by 8 -> o, v tail guard\n"},
    {StepKind::unroll, Fate::state, "Y.0 split j -> a, b by 4 tail guard\nY.0 unroll b\n"},
    {StepKind::parallel, Fate::state, "Y.0 parallel i by 8 -> tasks, i tail guard\n"},
    {StepKind::parallel, Fate::state, "Y.0 parallel i\n"},
    {StepKind::serial, Fate::state, "Y.0 parallel i\nY.0 serial i\n"},
    {StepKind::never_partition, Fate::state, "Y.0 never_partition i\n"},
    {StepKind::always_partition, Fate::state, "Y.0 always_partition i\n"},
    {StepKind::rfactor, Fate::state, "S_value.1 split j -> a, b by 4 tail guard\nS_value.1 rfactor b -> P, u\n"},
    {StepKind::rfactor, Fate::state, "S_value.0 reorder_storage i, j\nS_value.1 rfactor k -> P, u\n",
     "kernel k(X: f32[H, W, C]) -> S: f32 { S[i, j] += X[i, j, k] }"},
    {StepKind::atomic, Fate::state, "S_value.1 atomic\n"},
    {StepKind::prefetch, Fate::state, "Y.0 prefetch X i 4\n"},
    {StepKind::compute_with, Fate::state, "Z.0 compute_with with Y.0.i\n", two_sums},
    {StepKind::specialize, Fate::state, "Y.0 specialize when W >= 8\n"},
    {StepKind::slice_head, Fate::equations, "Y.0 slice_head i -> a, b by 4\n"},
    {StepKind::slice_tail, Fate::equations, "Y.0 slice_tail i -> a, b by 4\n"},
    {StepKind::normalize, Fate::claim, "Y.0 split i -> a, b by 4 tail guard\nY.0 normalize b\n"},
    {StepKind::distribute, Fate::claim, "S.0 compute_root\nY.0 distribute i\n"},
    {StepKind::fuse_siblings, Fate::state, "Z.0 fuse_siblings i with Y.0.i -> both\n", two_sums},
    {StepKind::cache_reads, Fate::equations, "Y.0 cache_reads X -> X_cache Y.i\n"},
    {StepKind::cache_writes, Fate::equations, "Y.0 cache_writes -> Y_cache Y.i\n"},
};

TEST(Kinds, AStepOnSeveralLoopsOrOneThatCutsItsLoopIsAsItsParts) {
    const std::pair<const char*, const char*> rows[] = {
        {"Y.0 vectorize j by 8 -> o, v tail guard\n", "Y.0 split j -> o, v by 8 tail guard\nY.0 vectorize v\n"},
        {"Y.0 unroll j by 4 -> o, u tail guard\n", "Y.0 split j -> o, u by 4 tail guard\nY.0 unroll u\n"},
        {"Y.0 parallel i by 16 -> tasks, i tail guard\n",
         "Y.0 split i -> tasks, i by 16 tail guard\nY.0 parallel tasks\nY.0 never_partition tasks\n"},
        {"Y.0 vectorize j by 8, 4 -> o, u, v tail shift_inwards\n",
         "Y.0 split j -> o, u by 32 tail shift_inwards\nY.0 split u -> u, v by 8 tail exact\nY.0 vectorize v\n"
         "Y.0 unroll u\n"},
        {"Y.0 parallel j, i by 16 -> tasks, chunk tail guard\n",
         "Y.0 fuse j, i -> chunk\nY.0 split chunk -> tasks, chunk by 16 tail guard\nY.0 parallel tasks\n"
         "Y.0 never_partition tasks\n"},
        {"Y.0 tile j, i -> a, b, c, d by 4, 2 tail guard\nY.0 unroll c, d\n",
         "Y.0 tile j, i -> a, b, c, d by 4, 2 tail guard\nY.0 unroll c\nY.0 unroll d\n"},
        {"Y.0 parallel i, j\nY.0 serial i, j\n", "Y.0 serial i\nY.0 serial j\n"},
        {"Y.0 never_partition j, i\n", "Y.0 never_partition i\nY.0 never_partition j\n"},
        {"S_value.0 compute_root\nS_value.0 bound_extent i 8\nY_value.0 bound_extent j, i 8\n",
         "S_value.0 compute_root\nS_value.0 bound_extent i 8\nY_value.0 bound_extent j 8\nY_value.0 bound_extent i "
         "8\n"},
    };
    for (const auto& [whole, parts] : rows) {
        const std::string state = state_after(examples[0].kernel, whole);
        EXPECT_EQ(state, state_after(examples[0].kernel, parts)) << whole;
        EXPECT_EQ(state.find("fix"), std::string::npos) << state;
    }
}

TEST(Kinds, AStepThatStandsForSeveralIsAsThose) {
    struct Row {
        const char *kernel, *whole, *parts;
    };
    const char* const product = "kernel k(A: f32[M, K, L], B: f32[K, N]) -> Y: f32 { Y[i,j] += A[i,k,l]*B[k,j] }";
    const char* const columns = "kernel k(X: f32[M, N, L]) -> Y: f32 { Y[i] += X[i,j,l] }";
    const Row rows[] = {
        {product, "Y_value.0 registers j, i by 8, 2 at Y.i\n",
         "Y_value.0 compute_at Y.i\nY_value.0 store_in_stack\nY_value.0 bound_extent j 16\n"
         "Y_value.0 vectorize j by 8 -> j_u, j_l tail exact\nY_value.0 unroll j_u, i\n"
         "Y_value.1 vectorize j by 8 -> j_u, j_l tail exact\nY_value.1 reorder j_l, j_u, i, l, k\n"
         "Y_value.1 unroll j_u, i\n"},
        {product, "Y_value.0 registers j, i by 8, 2, 6 at Y.i\n",
         "Y_value.0 compute_at Y.i\nY_value.0 store_in_stack\nY_value.0 bound_extent j 16\n"
         "Y_value.0 bound_extent i 6\nY_value.0 vectorize j by 8 -> j_u, j_l tail exact\nY_value.0 unroll j_u, i\n"
         "Y_value.1 vectorize j by 8 -> j_u, j_l tail exact\nY_value.1 reorder j_l, j_u, i, l, k\n"
         "Y_value.1 unroll j_u, i\n"},
        {product, "Y_value.0 registers j by 8, 1 at Y.j\n",
         "Y_value.0 compute_at Y.j\nY_value.0 store_in_stack\nY_value.0 bound_extent j 8\n"
         "Y_value.0 vectorize j by 8 -> j_u, j_l tail exact\nY_value.1 vectorize j by 8 -> j_u, j_l tail exact\n"
         "Y_value.1 reorder j_l, j_u, l, k, i\n"},
        {product, "Y_value.0 registers j by 1, 1 at root\n",
         "Y_value.0 compute_root\nY_value.0 store_in_stack\nY_value.0 bound_extent j 1\nY_value.1 reorder j, l, k, "
         "i\n"},
        {product, "Y_value.0 copy_in B -> P dim 1 in panels of 16 by 8\nP.0 compute_at Y.i\n",
         "Y_value.0 copy_in B -> P dim 1 in panels of 16\nP.0 compute_at Y.i\nP.0 bound_extent P_d1 16\n"
         "P.0 reorder_storage P_d1, P_d0, P_panel\nP.0 reorder P_d1, P_d0, P_panel\n"
         "P.0 vectorize P_d1 by 8 -> P_d1_u, P_d1_v tail exact\nP.0 unroll P_d1_u\n"},
        {product, "Y_value.0 copy_in A -> P dim 0 in panels of 16 by 8\nP.0 compute_at Y.i\n",
         "Y_value.0 copy_in A -> P dim 0 in panels of 16\nP.0 compute_at Y.i\nP.0 bound_extent P_d0 16\n"
         "P.0 reorder_storage P_d0, P_d2, P_d1, P_panel\nP.0 vectorize P_d0 by 8 -> P_d0_u, P_d0_v tail exact\n"
         "P.0 reorder P_d0_v, P_d2, P_d1, P_d0_u\nP.0 never_partition P_d0_u, P_panel\n"},
        {product, "Y_value.0 copy_in B -> P at root\n", "Y_value.0 copy_in B -> P\nP.0 compute_root\n"},
        {product, "Y_value.0 copy_in B -> P dim 1 in panels of 16 at Y.i\n",
         "Y_value.0 copy_in B -> P dim 1 in panels of 16\nP.0 compute_at Y.i\n"},
        {columns, "Y_value.1 partial l, i -> P by 8, 2, 4 at Y.i\n",
         "Y_value.1 partial l, i -> P by 8, 2 at Y.i\nP.0 bound_extent i 4\n"},
        {columns, "Y_value.1 partial l, i -> P by 8, 2 at Y.i\n",
         "Y_value.1 partial l -> P by 8, 2\nP.0 compute_at Y.i\nP.0 store_in_stack\nP.0 bound_extent P_l 8\n"
         "P.0 bound_extent P_u 2\nP.0 vectorize P_l\nP.0 unroll P_u, i\nP.1 reorder P_l, P_u, i, l, j\n"
         "P.1 vectorize P_l\nP.1 unroll P_u, i\nP.2 reorder P_l, i, l, j\nP.2 vectorize P_l\nP.2 unroll i\n"
         "P.3 reorder P_l, P_fold\nP.3 vectorize P_l\nP.3 unroll P_fold, i\nY_value.1 reorder P_l, i\n"
         "Y_value.1 atomic\nY_value.1 vectorize P_l\nY_value.1 unroll i\nY_value.2 reorder i, l, j\n"
         "Y_value.2 unroll i\n"},
        {columns, "Y_value.1 partial l -> P by 8, 1 at root\n",
         "Y_value.1 partial l -> P by 8, 1\nP.0 compute_root\nP.0 store_in_stack\nP.0 bound_extent P_l 8\n"
         "P.0 bound_extent P_u 1\nP.0 vectorize P_l\nP.0 unroll P_u\nP.1 reorder P_l, P_u, l, j\nP.1 vectorize P_l\n"
         "P.1 unroll P_u\nP.2 reorder P_l, l, j\nP.2 vectorize P_l\nY_value.1 atomic\nY_value.1 vectorize P_l\n"
         "Y_value.2 reorder l, j\n"},
        {columns, "Y_value.1 partial l -> P by 8, 2 tail predicate at root\n",
         "Y_value.1 partial l -> P by 8, 2 tail predicate\nP.0 compute_root\nP.0 store_in_stack\n"
         "P.0 bound_extent P_l 8\nP.0 bound_extent P_u 2\nP.0 vectorize P_l\nP.0 unroll P_u\n"
         "P.1 reorder P_l, P_u, l, j\nP.1 vectorize P_l\nP.1 unroll P_u\nP.2 reorder P_l, l, j\nP.2 vectorize P_l\n"
         "P.3 reorder P_l, l, j\nP.3 vectorize P_l\nP.4 reorder P_l, P_fold\nP.4 vectorize P_l\nP.4 unroll P_fold\n"
         "Y_value.1 atomic\nY_value.1 vectorize P_l\n"},
    };
    for (const Row& row : rows) {
        const std::string state = state_after(row.kernel, row.whole);
        EXPECT_EQ(state, state_after(row.kernel, row.parts)) << row.whole;
        EXPECT_EQ(state.find("fix"), std::string::npos) << state;
    }
}

TEST(Kinds, EveryOneChangesWhatHalideGetsOrHoldsItsClaimOrIsRefused) {
    std::set<StepKind> seen;
    for (const Example& example : examples) {
        SCOPED_TRACE(to_string(example.kind));
        seen.insert(example.kind);
        const Kernel kernel = kernel_of(example.kernel);
        const Solution open = solve_open(kernel);
        const History whole = parse_history(example.steps).value();
        ASSERT_EQ(whole.steps.back().kind, example.kind);
        History before = whole;
        before.steps.pop_back();
        const auto old = bind(kernel, open, before), now = bind(kernel, open, whole);
        ASSERT_TRUE(old) << old.error().what;
        ASSERT_EQ(static_cast<bool>(now), example.fate != Fate::refused) << (now ? "" : now.error().what);
        if (!now) continue;
        EXPECT_EQ(print(old.value().state) != print(now.value().state) &&
                      equations_of(kernel, before) == equations_of(kernel, whole),
                  example.fate == Fate::state);
        EXPECT_EQ(equations_of(kernel, before) != equations_of(kernel, whole), example.fate == Fate::equations);
    }
    for (const KindRow& row : kind_rows()) EXPECT_TRUE(seen.count(row.kind)) << row.name << " has no example";
}

const char* const sums = "kernel k(X: f32[H, W]) -> Y: f32 { S[i] += X[i,j]; Y[i,j] = X[i,j] - S[i] where j in 1:W }";
struct Refused {
    const char* kernel;
    const char* steps;
    const char* error;
};
const Refused refused[] = {
    {sums, "S_value.0 registers i by W, 2 at Y.i\n",
     "step `S_value.0 registers i by W, 2 at Y.i`: lanes, vectors, panels and extents are numbers from 1 to 1024\n"
     "  fix  write numbers, for example by 8, 2"},
    {sums, "Y.0 unroll j\n",
     "step `Y.0 unroll j`: loop `j` has W iterations, which is no constant\n  fix  split the loop by a constant first"},
    {sums, "S_value.1 atomic\nS_value.1 vectorize j\n",
     "step `S_value.1 vectorize j`: loop `j` has W iterations, which is no constant\n"
     "  fix  split the loop by a constant first"},
    {sums, "Y.0 vectorize j by 8, H -> o, u, v tail guard\n",
     "step `Y.0 vectorize j by 8, H -> o, u, v tail guard`: loop `u` has a symbolic number of iterations, which is no "
     "constant\n  fix  split the loop by a constant first"},
    {sums, "Y.0 specialize when H >= 8\n  Y.0 split j -> a, b by H tail guard\n  Y.0 unroll b\n",
     "step `Y.0 unroll b`: loop `b` has H iterations, which is no constant\n  fix  split the loop by a constant first"},
    {sums, "Y.0 split j -> a, b by 4 tail guard\nY.0 fuse a, i -> f\nY.0 unroll f\n",
     "step `Y.0 unroll f`: loop `f` has a symbolic number of iterations, which is no constant\n"
     "  fix  split the loop by a constant first"},
    {sums, "Y.0 split j -> a, b by -8 tail guard\n",
     "step `Y.0 split j -> a, b by -8 tail guard`: the factor is -8, and must be at least 1\n"
     "  fix  give a positive factor"},
    {sums, "S_value.0 registers q by 8, 2 at Y.i\n",
     "step `S_value.0 registers q by 8, 2 at Y.i`: there is no loop `q` in `S_value.0`\n"
     "  fix  remove the step or name an existing loop"},
    {sums, "Y.0 registers j by 8, 2 at root\n",
     "step `Y.0 registers j by 8, 2 at root`: `Y` is an output: it is computed once, into the caller's memory\n"
     "  fix  place the Funcs that it reads"},
    {"kernel k(X: f32[N]) -> Y: f32 { Y[0] += X[r] where r in 1:N }", "Y_value.1 normalize r\n",
     "step `Y_value.1 normalize r`: loop `r` does not count from zero in Halide: it runs where its equation or its "
     "readers say\n"
     "  fix  split it (the loops of a split count from zero), or write the equation's range from 0"},
    {sums, "S.0 compute_at Y.i\nY.0 distribute i\n",
     "step `Y.0 distribute i`: loop `i` also holds the loops of `S`\n"
     "  fix  place `S` with compute_root or at a loop further out"},
    {two_sums, "Z.0 compute_with with Y.0.i\nY.0 distribute i\n",
     "step `Y.0 distribute i`: loop `i` also holds the loops of `Z`\n"
     "  fix  place `Z` with compute_root or at a loop further out"},
    {sums, "S.0 compute_root\nS.0 compress\n",
     "step `S.0 compress`: `S` is stored whole, for all its readers\n"
     "  fix  compute it and store it inside a loop of its reader: Halide then keeps what one iteration needs"},
    {sums, "S.0 compute_at Y.i\nS.0 store_root\nS.0 compress\n",
     "step `S.0 compress`: `S` is stored whole, for all its readers\n"
     "  fix  compute it and store it inside a loop of its reader: Halide then keeps what one iteration needs"},
    {sums, "Y.0 compress\n",
     "step `Y.0 compress`: `Y` has no storage of its own: it is pasted into its readers, or is the caller's\n"
     "  fix  compute it inside a loop of its reader first"},
    {two_sums, "Z_value.1 fuse_siblings j with Z_value.0.i -> q\n",
     "step `Z_value.1 fuse_siblings j with Z_value.0.i -> q`: the stages of `Z_value` keep nests of their own\n"
     "  fix  join the equations, or leave the loops apart"},
    {two_sums, "Z_value.1 fuse_siblings j with Y.0.i -> q\n",
     "step `Z_value.1 fuse_siblings j with Y.0.i -> q`: loop `j` of `Z_value.1` lies inside loop `i`\n"
     "  fix  Halide fuses neighbours from the outermost loop inwards: reorder, or fuse the outermost loops"},
    {sums, "S_value.1 specialize when W >= 8\nS_value.1 rfactor j -> P, u\n",
     "step `S_value.1 rfactor j -> P, u`: the stage has branches, which the partial results would lose\n"
     "  fix  take this step before the specialize"},
    {sums, "S_value.0 copy_in S -> Z\n",
     "step `S_value.0 copy_in S -> Z`: the equations of `S_value` do not read `S`\n"
     "  fix  name the Func whose equations it is, such as `T_value`"},
    {sums, "Y.0 specialize when W >= 8\n  S.0 split i -> a, b by 4 tail guard\n",
     "step `S.0 split i -> a, b by 4 tail guard`: it stands below a specialize of `Y.0`\n"
     "  fix  write it on that stage, or outside of the specialize"},
    {sums, "Y_value.0 compute_with with S.0.i\n",
     "step `Y_value.0 compute_with with S.0.i`: `Y_value` is pasted into its readers: it has no loops of its own\n"
     "  fix  compute `Y_value` somewhere first"},
    {"kernel k(I: i32[N]) -> H: i32[8] { H[I[n]] += 1 where I[n] >= 0 }", "H_value.1 split n -> a, b by 4 tail guard\n",
     "step `H_value.1 split n -> a, b by 4 tail guard`: the condition of `H_value.1` reads data, and Halide asks "
     "it beyond "
     "the end of `n` when that is split\n"
     "  fix  leave the loop whole"},
    {sums, "Y.0 hoist_storage Y.i\n",
     "step `Y.0 hoist_storage Y.i`: `Y` is an output: it is computed once, into the caller's memory\n"
     "  fix  place the Funcs that it reads"},
    {sums, "Y.0 copy_in X -> Z\n",
     "step `Y.0 copy_in X -> Z`: the equations of `Y` do not read `X`\n"
     "  fix  name the Func whose equations it is, such as `T_value`"},
    {sums, "Y_value.0 copy_in X -> Z dim 7 in panels of 8\n",
     "step `Y_value.0 copy_in X -> Z dim 7 in panels of 8`: panels are of a dim of an input, and of 1 element or "
     "more; "
     "`X` has rank 2\n"
     "  fix  leave the panels out, or name a dim from 0"},
    {sums, "Y_value.0 copy_in Q -> Z\n",
     "step `Y_value.0 copy_in Q -> Z`: there is no tensor `Q`\n"
     "  fix  name a tensor of the kernel"},
    {sums, "Y_value.0 copy_in X -> S\n",
     "step `Y_value.0 copy_in X -> S`: there is a tensor `S` already\n"
     "  fix  choose another name"},
    {sums, "Y_value.0 twin -> Z when W >= 8\n",
     "step `Y_value.0 twin -> Z when W >= 8`: `Y_value` stores no values of another Func\n"
     "  fix  name the Func whose equations it is, such as `T_value`"},
    {sums, "Y_value.0 in_place\n",
     "step `Y_value.0 in_place`: no Func `Y_value` stores the values of another\n"
     "  fix  name an output, or an intermediate of several equations"},
    {"kernel k(X: f16[N]) -> Y: f16[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }", "Y.0 in_place\n",
     "step `Y.0 in_place`: `Y` is of f16, and its equations compute f32\n"
     "  fix  leave the step out: values are rounded once, as they are stored"},
    {sums, "Y.0 twin -> Z when W >= 8\nY.0 in_place\n",
     "step `Y.0 in_place`: step `Y.0 twin -> Z when W >= 8` gives it values computed elsewhere\n"
     "  fix  keep one of the two"},
    {sums, "Y.0 specialize when W >= 8\n  Y.0 in_place\n",
     "step `Y.0 in_place`: it changes the equations, which are the same in every branch\n"
     "  fix  write it outside of the specialize"},
    {sums, "S_value.0 overcompute q\n",
     "step `S_value.0 overcompute q`: there is no loop `q` in `S_value`\n"
     "  fix  name a loop of its equations"},
    {sums, "S_value.0 skip_outside X dim 0\n",
     "step `S_value.0 skip_outside X dim 0`: `X` has no padding in dim 0\n"
     "  fix  name a padded input and one of its dims"},
    {"kernel k(X: f32[W pad 1] else wrap) -> Y: f32[W] { Y[i] += 1 where r in -1:2, X[i+r] > 0 }",
     "Y_value.0 skip_outside X dim 0\n",
     "step `Y_value.0 skip_outside X dim 0`: what `X` gives beyond its edges counts in "
     "`Y[i] += 1 where r in -1:2, X[i + r] > 0`\n"
     "  fix  leave the step out"},
    {sums, "Y_value.0 group j by 1\n",
     "step `Y_value.0 group j by 1`: a group has 2 points or more\n"
     "  fix  remove the step or name an existing loop"},
    {sums, "Y_value.0 group q by 4\n",
     "step `Y_value.0 group q by 4`: `Y_value` has no sum over `q`\n"
     "  fix  remove the step or name an existing loop"},
    {sums, "Z.0 group j by 4\n",
     "step `Z.0 group j by 4`: no equation of the kernel writes a Func `Z`\n"
     "  fix  name a Func of the kernel, such as `T_value`"},
    {sums, "S_value.0 group j by 4\n",
     "step `S_value.0 group j by 4`: `S_value` is no sum of products of two tensors that copies give whole along `j`\n"
     "  fix  copy both first: `S_value.0 copy_in X -> X_copy`"},
    {"kernel k(A: f32[M, K], B: f32[K, N]) -> Y: f32 { Y[i,j] += A[i,k]*B[k,j] where k in 0:7 }",
     "Y_value.0 copy_in A -> A_copy\nY_value.0 copy_in B -> B_copy\nY_value.0 group k by 4\n",
     "step `Y_value.0 group k by 4`: `Y_value` is no sum of products of two tensors that copies give whole along `k`\n"
     "  fix  copy both first: `Y_value.0 copy_in X -> X_copy`"},
    {sums, "Y.0 prefetch Q i 4\n",
     "step `Y.0 prefetch Q i 4`: there is no input and no Func `Q`\n"
     "  fix  remove the step or name an existing loop"},
};

TEST(Kinds, ClaimsThatDoNotHoldAndWhatHalideLacksAreRefused) {
    for (const Refused& row : refused) EXPECT_EQ(state_after(row.kernel, row.steps), row.error);
}

}  // namespace
}  // namespace halogen
