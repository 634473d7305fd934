// Loops are called what the user calls them, also where Halide makes the same names for its own use.

#include "schedules/history/parse.h"
#include "tests/schedule/run_compiled.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace halogen {
namespace {

const char* const names[] = {"s",        "extent",   "stride",      "base",  "orig",  "rebased", "prologue", "epilogue",
                             "loop_min", "loop_max", "loop_extent", "tasks", "chunk", "v",       "x"};

// Halide's simplifier called the place of a loop `s` what a split of it calls its inner loop: all rows but the first were zero.
TEST(LoopNames, OfDimsThatThreadsShare) {
    for (const char* name : names)
        expect_as_interpreted(fmt::format("kernel k(E: i32[W, M, S]) -> Q: i32 {{ Q[{0}, 2] = E[2, 0, {0}] }}", name),
                              {{"W", 3}, {"M", 5}, {"S", 3}});
}

TEST(LoopNames, OfLoopsThatSplitsMake) {
    for (const char* name : names)
        for (const char* text :
             {"Y.0 split i -> outer, {0} by 2 tail guard", "Y.0 split i -> {0}, inner by 2 tail guard",
              "Y_value.1 split k -> outer, {0} by 2 tail guard"}) {
            SCOPED_TRACE(name);
            const Kernel kernel = parse("Y[i] += X[i, k]").value().kernels.front();
            const CallData data = call_of(kernel, {{"X.0", 7}, {"X.1", 5}});
            const History history = parse_history(fmt::format(fmt::runtime(text), name) + "\n").value();
            const Executor executor(kernel, choose_leg(""), {}, &history);
            Tensors outputs = executor.make_outputs(data);
            executor.prepare(data, outputs)();
            verify(kernel, data, outputs);
        }
}

}  // namespace
}  // namespace halogen
