// Least and largest values, compiled: as the interpreter computes them.

#include "tests/schedule/run_compiled.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <string>

namespace halogen {
namespace {

// Halide leaves out of a loop what changes nothing, and took what `I` held before the loop for what it holds inside.
TEST(Extremes, OfWhatTheirIndicesGive) {
    for (const char* type : {"i16", "i32", "i64", "u32", "f32"})
        for (const char* op : {"min=", "max="})
            for (const char* value : {"{0}(s)", "X[y] + {0}(s)", "20 - {0}(s)", "2*{0}(s) + X[0]"}) {
                const std::string right = fmt::format(fmt::runtime(value), type);
                expect_as_interpreted(
                    fmt::format("kernel k(X: {0}[N]) -> I: {0} {{ I[y] {1} {2} where s in 0:13, y in 0:N }}", type, op,
                                right),
                    {{"N", 3}});
            }
    expect_as_interpreted("kernel k(X: i32[N]) -> I: i32 { I[0, N] min= X[1] + s where s in 0:13 }", {{"N", 3}});
}

}  // namespace
}  // namespace halogen
