// Loops over two dims in one run over each of them, without divisions.

#include "schedules/bind/unfused_loops.h"
#include "tests/schedule/statement_text.h"

#include "Halide.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;
using namespace Halide::Internal;

/// Quotients and remainders that each iteration asks for: those of a loop without loops in it.
int divisions(const Stmt& s) {
    class Count : public IRVisitor {
    public:
        int found = 0;

    private:
        using IRVisitor::visit;
        void visit(const For* loop) override {
            const int before = loops_++;
            here_ = 0;
            loop->body.accept(this);
            if (loops_ == before + 1) found += here_;
        }
        void visit(const Div*) override { here_++; }
        void visit(const Mod*) override { here_++; }
        int here_ = 0, loops_ = 0;
    } count;
    s.accept(&count);
    return count.found;
}

Expr variable(const std::string& name) { return Variable::make(Halide::Int(32), name); }
const Expr i = variable("i"), n = variable("n"), m = variable("m"), from = variable("from");
Stmt write(const Expr& at, const Expr& value) { return Store::make("Y", value, at, {}, const_true(), {}); }
Stmt loop(const Stmt& body, ForType type = ForType::Serial, const std::string& name = "i") {
    return For::make(name, 0, variable("count"), type, Halide::Partition::Auto, Halide::DeviceAPI::None, body);
}

TEST(UnfusedLoops, WhatIsSmallAndDividesByWhatStaysTheSameIsTakenApart) {
    const Expr t = variable("t");
    const std::vector<Stmt> bodies = {
        write(i / n + i % n * m, i),
        LetStmt::make("t", from + i, write(t / n + t % n * m, t)),
        write((i + from + 3) / n, (3 + from + i) % n),
        write(i % n, i / n % m + i / n / m),  // three dims
        loop(write((i + from) / n + variable("k") * m, (i + from) % n), ForType::Serial, "k"),
    };
    for (const Stmt& body : bodies) {
        EXPECT_GT(divisions(loop(body)), 0);
        EXPECT_EQ(divisions(with_unfused_loops(loop(body))), 0) << text_of(with_unfused_loops(loop(body)));
    }
}

TEST(UnfusedLoops, OthersStayAsTheyAre) {
    const auto inner = [](const std::string& name) {
        return loop(write(i / n + variable(name), 1), ForType::Serial, name);
    };
    const std::vector<Stmt> bodies = {
        write(i / 3, i % 3),                                // by a number: cheap
        write(i * 2 / n, i * 2 % n),                        // steps of two
        write(i / i, 1),                                    // by what changes
        write(from / n, i),                                 // the same in all iterations
        Block::make({inner("a"), inner("b"), inner("c")}),  // a long body
    };
    for (const Stmt& body : bodies) EXPECT_EQ(text_of(with_unfused_loops(loop(body))), text_of(loop(body)));
    const Stmt parallel = loop(write(i / n, i % n), ForType::Parallel);
    EXPECT_EQ(text_of(with_unfused_loops(parallel)), text_of(parallel));
}

TEST(UnfusedLoops, ValuesAreThoseOfTheLoop) {
    // Three dims in one, shared by tasks of seven that begin and end anywhere.
    for (const std::vector<int>& size :
         std::vector<std::vector<int>>{{1, 1, 1}, {3, 1, 5}, {1, 4, 2}, {5, 3, 4}, {7, 2, 9}}) {
        Var x("x"), y("y"), z("z"), all("all"), task("task");
        Func f("f");
        f(x, y, z) = x + 10 * y + 100 * z;
        f.fuse(x, y, x).fuse(x, z, all).split(all, task, all, 7, Halide::TailStrategy::GuardWithIf).parallel(task);
        Halide::Pipeline pipeline(f);
        unfuse_loops(pipeline);
        const Halide::Buffer<int> found = pipeline.realize(size);
        found.for_each_element(
            [&](int at_x, int at_y, int at_z) { EXPECT_EQ(found(at_x, at_y, at_z), at_x + 10 * at_y + 100 * at_z); });
    }
}

}  // namespace
}  // namespace halogen
