// How long solving takes: typical kernels, chains of convolutions of growing length with a line fitted through the times
// (`_BigO` is the time for each layer, `_RMS` how far the times are from the line), and a solved header evaluated.

#include "frontend/solve/solve.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "frontend/systems/case.h"
#include "generators/run/builtin.h"
#include "tests/solve/chains.h"

#include "conv2d_sizes.h"

#include <benchmark/benchmark.h>

namespace halogen {
namespace {

Solution solved(const Kernel& kernel, const Settings& known) { return solve(kernel, known).value(); }

void kernel_chain(benchmark::State& state, const test::Chain& chain, bool forward) {
    const Kernel kernel = parse(chain.text).value().kernels.at(0);
    for (auto _ : state) benchmark::DoNotOptimize(solved(kernel, forward ? chain.forward : chain.backward));
    state.SetComplexityN(state.range(0));
}

void plain_forward(benchmark::State& state) { kernel_chain(state, test::plain_chain(state.range(0)), true); }
void plain_backward(benchmark::State& state) { kernel_chain(state, test::plain_chain(state.range(0)), false); }
void padded_forward(benchmark::State& state) { kernel_chain(state, test::padded_chain(state.range(0)), true); }
void padded_backward(benchmark::State& state) { kernel_chain(state, test::padded_chain(state.range(0)), false); }

/// With nothing known: formulas that nest, and equations by the thousand.
void open_chain(benchmark::State& state, const char* rule) {
    const Kernel kernel = parse(test::chain_of(state.range(0), rule)).value().kernels.at(0);
    for (auto _ : state) benchmark::DoNotOptimize(solved(kernel, {}));
    state.SetComplexityN(state.range(0));
}

void system_chain(benchmark::State& state, bool forward) {
    const SystemCase chain = test::system_chain(state.range(0), forward);
    for (auto _ : state) benchmark::DoNotOptimize(system_of(chain).solve(chain.known, chain.choose));
    state.SetComplexityN(state.range(0));
}

void system_forward(benchmark::State& state) { system_chain(state, true); }
void system_backward(benchmark::State& state) { system_chain(state, false); }

/// All that `--system` says of one case: sizes, strides, points and key.
void whole_case(benchmark::State& state) {
    const SystemCase chain = test::system_chain(state.range(0), true);
    for (auto _ : state) benchmark::DoNotOptimize(solve_case(chain));
    state.SetComplexityN(state.range(0));
}

void lengths(benchmark::internal::Benchmark* b) {
    b->Unit(benchmark::kMicrosecond)->Arg(10)->Arg(30)->Arg(100)->Arg(300)->Arg(1000)->Complexity(benchmark::oN);
}

BENCHMARK(plain_forward)->Apply(lengths);
BENCHMARK(plain_backward)->Apply(lengths);
BENCHMARK(padded_forward)->Apply(lengths);
BENCHMARK(padded_backward)->Apply(lengths);
BENCHMARK(system_forward)->Apply(lengths);
BENCHMARK(system_backward)->Apply(lengths);
BENCHMARK(whole_case)->Unit(benchmark::kMicrosecond)->Arg(10)->Arg(30)->Arg(100);

/// A built-in kernel with everything open.
void kernel_open(benchmark::State& state, const std::string& text) {
    const Kernel kernel = parse(text).value().kernels.at(0);
    for (auto _ : state) benchmark::DoNotOptimize(solved(kernel, {}));
}

/// Every size, stride and guard of conv2d, as the emitted header computes them.
void emitted_conv2d(benchmark::State& state) {
    conv2d_sizes::Sizes sizes{1, 224, 224, 3, 7, 7, 64, 2, 1, 3};
    for (auto _ : state) {
        benchmark::DoNotOptimize(sizes);
        benchmark::DoNotOptimize(conv2d_sizes::solve(sizes));
    }
}
BENCHMARK(emitted_conv2d);

const bool registered = [] {
    for (const char* rule : test::nested_rules)
        benchmark::RegisterBenchmark((std::string("nested/") + rule).c_str(),
                                     [rule](benchmark::State& state) { open_chain(state, rule); })
            ->Unit(benchmark::kMicrosecond)
            ->Arg(5)
            ->Arg(10)
            ->Arg(20)
            ->Arg(40)
            ->Complexity(benchmark::oN);
    for (const char* rule : test::short_rules)
        benchmark::RegisterBenchmark((std::string("short/") + rule).c_str(),
                                     [rule](benchmark::State& state) { open_chain(state, rule); })
            ->Unit(benchmark::kMicrosecond)
            ->Arg(100)
            ->Arg(1000)
            ->Arg(10'000)
            ->Complexity(benchmark::oN);
    for (const auto& [name, text] : builtin_kernels()) {
        const std::string copy(text);
        benchmark::RegisterBenchmark(("kernel/" + std::string(name)).c_str(), [copy](benchmark::State& state) {
            kernel_open(state, copy);
        })->Unit(benchmark::kMicrosecond);
    }
    return true;
}();

}  // namespace
}  // namespace halogen

BENCHMARK_MAIN();
