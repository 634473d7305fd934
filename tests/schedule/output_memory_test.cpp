// Rows of an intermediate in the memory of the output that is made of them.

#include "schedules/bind/output_memory.h"
#include "tests/schedule/run_compiled.h"
#include "tests/schedule/statement_text.h"

#include "schedules/machine/machine.h"

#include "Halide.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::TailStrategy;
using Halide::Var;

/// Rows E of `made` from X, their sums S, and Y, which is `last` of both; Y and E in vectors of 8 with a rest behind a mask.
struct Rows {
    Halide::ImageParam in{Halide::Float(32), 2, "X"};
    Var x{"x"}, y{"y"}, o{"o"}, i{"i"};
    Func e{"E"}, s{"S"}, out{"Y"};

    explicit Rows(const std::function<Expr(const Rows&)>& last, bool shifted = false) {
        const Halide::RDom r(0, in.dim(0).extent());
        e(x, y) = Halide::sqrt(in(x, y));
        s(y) += e(r, y);
        out(x, y) = last(*this);
        Var block("block");
        out.bound(x, 0, in.dim(0).extent()).split(x, o, i, 8, TailStrategy::Predicate).vectorize(i);
        if (shifted) out.split(y, block, y, 4, TailStrategy::ShiftInwards).parallel(block);
        e.compute_at(out, y).split(x, o, i, 8, TailStrategy::Predicate).vectorize(i);
        s.compute_at(out, y);
        for (int d : {0, 1}) in.dim(d).set_min(0);
    }

    /// Whether E has memory of its own once the pass has run.
    bool has_own_memory() {
        Halide::Pipeline pipeline(out);
        use_output_memory(pipeline, {out});
        const auto module =
            pipeline.compile_to_module({in}, "f", Halide::Target("x86-64-linux-sse41-avx-avx2-no_runtime"));
        std::string code;
        for (const auto& function : module.functions()) code += text_of(function.body);
        return code.find("allocate E") != std::string::npos;
    }
};

TEST(OutputMemory, ARowLiesWhereItsLastReaderWritesIt) {
    EXPECT_FALSE(Rows([](const Rows& k) { return k.e(k.x, k.y) / k.s(k.y); }).has_own_memory());
    EXPECT_FALSE(
        Rows([](const Rows& k) { return k.e(k.x, k.y) * k.e(k.x, k.y) - k.s(k.y) * k.in(k.x, k.y); }).has_own_memory());
}

TEST(OutputMemory, NotWhereAnotherElementIsReadOrOnlySomeAreWritten) {
    EXPECT_TRUE(Rows([](const Rows& k) {
                    return k.e(k.x, k.y) + k.e(Halide::max(k.x - 1, 0), k.y) + k.s(k.y);
                }).has_own_memory());
    EXPECT_TRUE(Rows([](const Rows& k) { return k.e(k.x, k.y) + k.e(0, k.y) + k.s(k.y); }).has_own_memory());
    EXPECT_TRUE(Rows([](const Rows& k) { return Halide::cast<double>(k.e(k.x, k.y)) / k.s(k.y); }).has_own_memory())
        << "of another type";
    EXPECT_TRUE(Rows([](const Rows& k) { return k.e(k.x, k.y) / k.s(k.y); }, true).has_own_memory())
        << "two tasks may write one row";
}

/// Rows around the widths of vectors, in buffers of any order.
TEST(OutputMemory, TheAnswerStaysAsItIs) {
    for (const char* type : {"f32", "f64"}) {
        const std::string text = std::string(
            "kernel k(X: %[B, N]) -> Y: % { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); "
            "S[b] += E[b, n]; Y[b, n] = E[b, n]/S[b] }");
        std::string typed = text;
        for (std::size_t at = typed.find('%'); at != std::string::npos; at = typed.find('%'))
            typed.replace(at, 1, type);
        const Kernel kernel = parse(typed).value().kernels.at(0);
        for (const Leg& leg : all_legs()) {
            if (!runs_here(leg)) continue;
            SCOPED_TRACE(leg.name);
            const Executor executor(kernel, leg, {});
            for (const int n : {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 200})
                for (const int b : {1, 3}) expect_as_interpreted(executor, kernel, {{"B", b}, {"N", n}});
        }
    }
}

}  // namespace
}  // namespace halogen
