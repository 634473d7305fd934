// How long shape functions take: one convolution on symbols, on numbers and as emitted C++, chains of growing length with a
// line fitted through the times, whole networks.

#include "frontend/shapes/answer.h"
#include "frontend/shapes/run.h"
#include "tests/shapes/networks.h"

#include "conv2d_shapes.h"

#include <benchmark/benchmark.h>

namespace halogen::shapes {
namespace {

Arguments convolution(const Formula& extent) {
    return {{"input", {Operand{{extent, 64, extent, extent}}}}, {"weight", {Operand{{64, 64, 3, 3}}}}};
}

void one_convolution(benchmark::State& state, const Formula& extent) {
    Library library;
    const Arguments arguments = convolution(extent);
    for (auto _ : state) benchmark::DoNotOptimize(library.infer("conv2d", arguments));
}
BENCHMARK_CAPTURE(one_convolution, symbols, Formula::symbol("n"))->Unit(benchmark::kNanosecond);
BENCHMARK_CAPTURE(one_convolution, numbers, Formula(32))->Unit(benchmark::kNanosecond);

/// The emitted C++ form of a convolution with every size open: conditions and shape.
void emitted_convolution(benchmark::State& state) {
    conv2d_shapes::Sizes sizes{.c = 64, .d = 1, .h = 56, .k = 64, .n = 8, .p = 1, .r = 3, .s = 3, .t = 1, .w = 56};
    for (auto _ : state) {
        benchmark::DoNotOptimize(sizes);
        benchmark::DoNotOptimize(conv2d_shapes::shapes(sizes));
    }
}
BENCHMARK(emitted_convolution)->Unit(benchmark::kNanosecond);

/// Every pass, from the steps to formulas and the conditions left.
void passes(benchmark::State& state, const StepProgram& program) {
    Library library;
    for (auto _ : state) benchmark::DoNotOptimize(shape_program(library, program));
}

void convolution_chain(benchmark::State& state) {
    passes(state, test::convolution_chain(static_cast<int>(state.range(0))));
    state.SetComplexityN(state.range(0));
}
BENCHMARK(convolution_chain)
    ->Unit(benchmark::kMicrosecond)
    ->Arg(50)
    ->Arg(100)
    ->Arg(200)
    ->Arg(400)
    ->Arg(10'000)
    ->Complexity(benchmark::oN);

void resnet50(benchmark::State& state) { passes(state, test::resnet50()); }
void transformer(benchmark::State& state) { passes(state, test::transformer(12)); }
BENCHMARK(resnet50)->Unit(benchmark::kMicrosecond);
BENCHMARK(transformer)->Unit(benchmark::kMicrosecond);

void resnet50_backward(benchmark::State& state) {
    Library library;
    const ShapeProgram program = shape_program(library, test::resnet50());
    const int last = static_cast<int>(program.source.steps.size()) - 4;  // before the pool
    for (auto _ : state)
        benchmark::DoNotOptimize(solve_backward(program, {{last, 0, 0, 1}, {last, 0, 2, 7}, {last, 0, 3, 1}}));
}
BENCHMARK(resnet50_backward)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace halogen::shapes

BENCHMARK_MAIN();
