// Guards against numbers: for random kernels and random calls, the guards of the solution with every size open hold exactly
// where the kernel can be solved with these numbers, and then both give the same sizes. HALOGEN_ROUNDS kernels, 120 usually.

#include "tests/solve/random_calls.h"
#include "tests/solve/random_kernels.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

using test::Call;
using test::evaluate_or;

/// What a compiled kernel checks: every guard, and that buffers have the extents of the solution.
bool is_admitted(const Kernel& kernel, const Solution& s, const Call& call) {
    if (!test::guards_hold(s, call.values)) return false;
    for (const Tensor* t : kernel.inputs()) {
        for (int d = 0; d < t->rank; ++d)
            if (evaluate_or(s.extents.at(t->name)[d], call.values, -1) != call.extents.at(t->name)[d]) return false;
    }
    return true;
}

/// A call with these numbers: extents of inputs by "X.0", parameters and sizes by their names.
Call call_with(const Kernel& kernel, const Solution& s, const Settings& numbers) {
    Call call;
    call.numbers = numbers;
    for (const Tensor* t : kernel.inputs())
        for (int d = 0; d < t->rank; ++d)
            call.extents[t->name].push_back(*numbers.at(fmt::format("{}.{}", t->name, d)));
    for (const auto& [name, source] : s.sources) {
        const auto tensor = call.extents.find(source.tensor);
        call.values[name] = tensor == call.extents.end() ? *numbers.at(name) : tensor->second[source.dim];
    }
    for (const auto& [name, value] : numbers) call.values.emplace(name, *value);
    return call;
}

/// No number is missing.
bool is_solved(const Result<Solution>& numeric) { return numeric && numeric.value().symbols.empty(); }

TEST(Guards, HoldWhereNumbersCanBeSolvedOfWhatOnceDiffered) {
    struct Case {
        const char* text;
        Settings numbers;
        bool is_legal;
    };
    const Case cases[] = {
        // Two open sizes in a dim: the buffer gives one of them, and an index over the dim its extent.
        {"kernel k(X: f32[2*A + B], Z: f32[N*M], P: size) -> Y: f32 "
         "{ T0[i + P] += X[i + 1]; Y[i] += T0[i + 1] * Z[i] * T0[2]; }",
         {{"A", 1}, {"M", 5}, {"P", 3}, {"X.0", 7}, {"Z.0", 5}},
         true},
        {"kernel k(X: f32[N*M], W: f32[_]) -> Y: f32 { Y[i] += W[i] where i in 0:M; }",
         {{"X.0", 12}, {"W.0", 5}},
         false},
        // Ranges without values, as they are written, bound nothing.
        {"kernel k(X: f32[4], W: f32[N], K: size, P: size) -> Y: f32 "
         "{ T0[min(i, 4)] += X[i + P] where i in 0:M; Y[i] += W[K*i] * T0[M - k] where k in 0:0; }",
         {{"X.0", 4}, {"W.0", 11}, {"K", 3}, {"P", 1}},
         true},
        // What a written place gives is known before rule 2 is asked.
        {"kernel k(X: f32[_], Z: f32[2*N], W: f32[N], P: size) -> Y: f32[OH] "
         "{ T0[i + P] += Z[2*i + k] * W[M - i] where k in 0:0; Y[i] += X[abs(i - 2)] * T0[i]; }",
         {{"X.0", 9}, {"Z.0", 6}, {"W.0", 3}, {"M", 4}, {"P", 4}},
         true},
        // A formula that bounds for strides of at least 1 refuses those of 0, whatever else would bound.
        {"kernel k(X: f32[_], Z: f32[_], K: size) -> Y: f32 { Y[abs(i - 2)] += Z[i*i] * X[i*k] where k in 0:K; }",
         {{"X.0", 1}, {"Z.0", 1}, {"K", 0}},
         false},
        {"kernel k(X: f32[_], Z: f32[_], K: size) -> Y: f32 { Y[abs(i - 2)] += Z[i*i] * X[i*k] where k in 0:K; }",
         {{"X.0", 5}, {"Z.0", 10}, {"K", 2}},
         false},
        // Tensors as long as a size admits do not bound the size in turn.
        {"kernel k(W: f32[N], Z: f32[_]) -> Y: f32[M + 2] "
         "{ T0[i] += W[M - i] * Z[abs(i - k)] where k in 0:3; Y[2*i] += W[k] * T0[i + i/2] * T0[1] where k in 0:0, i "
         "in 0:M; }",
         {{"W.0", 12}, {"Z.0", 10}, {"M", 8}},
         true},
        {"kernel k(X: f32[A]) -> Y: f32 { Y[abs(i - 2)] += X[k + k/2] where k in 1:4, i in 0:M; }",
         {{"X.0", 5}, {"M", 3}},
         true},
    };
    for (const Case& c : cases) {
        const Kernel kernel = test::kernel_of(c.text);
        Settings open;
        for (const SizeParam& p : kernel.sizes) open[p.name] = std::nullopt;
        const auto solution = solve(kernel, open);
        ASSERT_TRUE(solution) << c.text << format(solution.error(), "-e");
        const Call call = call_with(kernel, solution.value(), c.numbers);
        EXPECT_EQ(is_admitted(kernel, solution.value(), call), c.is_legal) << c.text;
        EXPECT_EQ(is_solved(solve(kernel, c.numbers)), c.is_legal) << c.text;
    }
}

TEST(RandomGuards, HoldExactlyWhereNumbersCanBeSolved) {
    test::Dice dice(test::seed_of_run());
    const char* rounds = std::getenv("HALOGEN_ROUNDS");
    const int kernels = rounds ? std::atoi(rounds) : 120;
    int solved = 0, legal = 0, refused = 0, open = 0, wrong = 0;
    for (int tries = 0; solved < kernels && tries < 20 * kernels; ++tries) {
        const std::string text = test::RandomKernel(dice).text();
        const auto program = parse(text);
        if (!program) continue;
        const Kernel& kernel = program.value().kernels.at(0);
        const auto solution = solve(kernel, {{"K", std::nullopt}, {"P", std::nullopt}});
        if (!solution) {
            open += solution.error().kind == ErrorKind::underdetermined;
            continue;
        }
        ++solved;
        const Solution& s = solution.value();
        for (int round = 0; round < 10; ++round) {
            const Call call = test::random_call(kernel, s, dice);
            const bool admitted = is_admitted(kernel, s, call);
            const auto numeric = solve(kernel, call.numbers);
            ++(admitted ? legal : refused);
            const auto about = [&] {
                return fmt::format("{}\n {}\n guards {}", text, call.text, fmt::join(test::guards(s), ", "));
            };
            if (admitted != is_solved(numeric)) {
                ++wrong;
                ADD_FAILURE() << about() << "\n" << (numeric ? "can be solved" : format(numeric.error(), "-e"));
                break;
            }
            if (!admitted) continue;
            for (const auto& [name, f] : s.sizes) {
                const auto value = evaluate_or(f, call.values, -1);
                EXPECT_GE(value, 0) << about() << " " << name;
                EXPECT_EQ(numeric.value().sizes.at(name).constant(), value) << about() << " " << name;
            }
            for (const auto& [tensor, extents] : s.extents) {
                for (const Formula& f : extents)
                    EXPECT_GE(evaluate_or(f, call.values, -1), 0) << about() << " " << tensor;
            }
        }
    }
    std::cout << fmt::format("{} kernels, {} calls admitted, {} refused; {} kernels left a size open, {} differ\n",
                             solved, legal, refused, open, wrong);
    EXPECT_GE(solved, kernels);
    EXPECT_GT(legal, kernels);
    EXPECT_GT(refused, kernels);
}

}  // namespace
}  // namespace halogen
