// Random histories over small programs keep every value; random illegal steps are refused and leave nothing behind.
// HALOGEN_SEED takes a seed back, HALOGEN_HISTORIES and HALOGEN_ILLEGAL_STEPS the numbers.

#include "tests/schedule/nest_fuzz.h"
#include "frontend/solve/solve.h"
#include "schedules/history/parse.h"
#include "schedules/nest/build.h"
#include "schedules/nest/print.h"
#include "tests/schedule/nest_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace halogen {
namespace {

const char* const programs[] = {
    "kernel k(A: i64[4, 5], B: i64[5, 3]) -> C: i64 { C[m,n,k] = A[m,n] + B[n,k] }",
    "kernel k(A: i64[5, 4, 3]) -> S: i64 { S[m] += A[m,n,k] }",
    "kernel k(A: i64[5, 7]) -> M: i64 { M[j] max= A[i,j] }",
    "kernel k(I: i64[2, 6, 7], W: i64[3, 2, 2, 3]) -> O: i64[3, 5, 5] { O[k,y,x] += I[c,y+r,x+s]*W[k,c,r,s] }",
    "kernel k(X: i64[7, 8]) -> Y: i64 { P[y,x] = 2*X[y,x] + 1; Q[y,x] = P[y,x]*3; Y[y,x] = Q[y,x] + Q[y+1,x] + "
    "P[y,x+1] where y in 0:6, x in 0:7 }",
    "kernel k(X: i64[6, 5]) -> (Y: i64, Z: i64) { S[i] += X[i,j]; Y[i,j] = X[i,j] - S[i]; Z[i] = S[i]*2 }",
    "kernel k(X: i64[9]) -> Y: i64[9] { Y[0] = X[0]; Y[i] = 2*Y[i-1] + X[i] where i in 1:9 }",
    "kernel k(X: i64[3, 8]) -> Y: i64[3, 8] { Y[b,i] = select(i < 5, X[b,i], 3*i) where i > 1 }",
    "kernel k(A: i64[4, 5], B: i64[5, 4]) -> C: i64 { Z[i,j] = 7 where i in 0:4, j in 0:4; Z[i,j] += A[i,k]*B[k,j]; "
    "C[i,j] = max(Z[i,j], 0) }",
};

int number_of(const char* variable, int usual) {
    const char* const given = std::getenv(variable);
    return given ? std::atoi(given) : usual;
}

struct Program {
    Kernel kernel;
    Solution solution;
    Tensors inputs, expected;

    explicit Program(const char* text) : kernel(parse(text).value().kernels[0]), solution(solve(kernel).value()) {
        for (const Tensor* tensor : kernel.inputs()) {
            std::vector<std::int64_t> extents;
            for (const Formula& e : solution.extents.at(tensor->name)) extents.push_back(*e.constant());
            HostTensor& values = inputs[tensor->name] = HostTensor(tensor->type, extents);
            for (std::int64_t i = 0; i < values.elements(); i++) values.set_integer(i, (i * 37 + 11) % 101 - 50);
        }
        expected = interpret(kernel, solution, inputs, {}).value();
    }
};

TEST(NestFuzz, RandomLegalHistoriesKeepEveryValue) {
    const unsigned seed = test::seed_of_run();
    const int count = number_of("HALOGEN_HISTORIES", 300);
    std::vector<Program> all;
    for (const char* text : programs) all.emplace_back(text);
    int accepted = 0;
    for (int n = 0; n < count && !HasFailure(); n++) {
        test::Dice dice(seed * 1000003U + static_cast<unsigned>(n));
        const Program& program = all[static_cast<std::size_t>(n) % all.size()];
        const RandomHistory history = random_history(build_nest(program.kernel, program.solution), 20, dice);
        accepted += static_cast<int>(history.accepted.steps.size());
        SCOPED_TRACE("history " + std::to_string(n) + "\n" + print(program.kernel) + print(history.accepted) +
                     print(history.nest));
        const auto outcome = run_nest(history.nest, {}, program.inputs);
        ASSERT_TRUE(outcome) << outcome.error().what;
        for (const auto& [name, tensor] : outcome.value().outputs)
            EXPECT_TRUE(std::ranges::equal(tensor.storage(), program.expected.at(name).storage())) << name;
        // The recorded history alone, from its text, gives the same nest.
        const History again = parse_history(print(history.accepted)).value();
        EXPECT_EQ(print(apply_to_nest(build_nest(program.kernel, program.solution), again.steps).value()),
                  print(history.nest));
    }
    std::cout << count << " histories, " << accepted << " accepted steps\n";
}

TEST(NestFuzz, CopiesOfWhatALoopReachesBeyondTheEdgeAreEmptyThere) {  // seed 23, history 1962
    const Program program("kernel k(A: i64[4, 5], B: i64[5, 3]) -> C: i64 { C[m,n,k] = A[m,n] + B[n,k] }");
    const History history = parse_history(
                                "C.0 split k -> a, b, c by 5 tail guard\nC.0 reorder a, n, b, m\n"
                                "C.0 cache_reads B -> R C.n\nR.0 split R_d1 -> o, i, t by 3 tail separate\n")
                                .value();
    const auto nest = apply_to_nest(build_nest(program.kernel, program.solution), history.steps);
    ASSERT_TRUE(nest) << nest.error().what;
    const auto outcome = run_nest(nest.value(), {}, program.inputs);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(std::ranges::equal(outcome.value().outputs.at("C").storage(), program.expected.at("C").storage()));
}

TEST(NestFuzz, WritesOfOneStageAreNotCopiedPastThoseOfAnother) {  // seed 28, history 1745
    const Program program(
        "kernel k(A: i64[4, 5], B: i64[5, 4]) -> C: i64 {"
        " Z[i,j] = 7 where i in 0:4, j in 0:4; Z[i,j] += A[i,k]*B[k,j]; C[i,j] = max(Z[i,j], 0) }");
    const History history = parse_history("Z.1 fuse_siblings i with Z.0.i -> f\nZ.0 cache_writes -> W Z.f\n").value();
    const auto nest = apply_to_nest(build_nest(program.kernel, program.solution), history.steps);
    ASSERT_FALSE(nest);
    EXPECT_EQ(nest.error().what, "step `Z.0 cache_writes -> W Z.f`: `Z.1` writes `Z` in this loop too");
}

TEST(NestFuzz, RandomIllegalStepsAreRefusedAndChangeNothing) {
    test::Dice dice(test::seed_of_run());
    const int count = number_of("HALOGEN_ILLEGAL_STEPS", 10000);
    std::vector<Nest> nests;
    for (const char* text : programs) {
        const Program program(text);
        nests.push_back(build_nest(program.kernel, program.solution));
        for (int i = 0; i < 3; i++) nests.push_back(random_history(nests.back(), 5, dice).nest);
    }
    std::vector<std::string> before;
    for (const Nest& nest : nests) before.push_back(print(nest));
    for (int n = 0; n < count && !HasFailure(); n++) {
        const auto at = static_cast<std::size_t>(dice.between(0, static_cast<int>(nests.size()) - 1));
        const Step step = random_illegal_step(nests[at], dice);
        const auto refused = apply_to_nest(nests[at], step);
        ASSERT_FALSE(refused) << print(step) << "\n" << before[at];
        EXPECT_EQ(refused.error().kind, ErrorKind::schedule);
        EXPECT_TRUE(refused.error().what.starts_with("step `" + print(step) + "`: ")) << refused.error().what;
        EXPECT_NE(refused.error().fix, "");
    }
    for (std::size_t i = 0; i < nests.size(); i++) EXPECT_EQ(print(nests[i]), before[i]);
}

}  // namespace
}  // namespace halogen
