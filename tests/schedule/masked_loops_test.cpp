// Loops end with the last vector of which a lane is stored.

#include "schedules/bind/masked_loops.h"
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

const Expr i = Variable::make(Halide::Int(32), "i"), k = Variable::make(Halide::Int(32), "k"),
           n = Variable::make(Halide::Int(32), "n"), width = Variable::make(Halide::Int(32), "width");

Expr lanes(const Expr& first) { return Ramp::make(first, 1, 8); }
Expr all(const Expr& e) { return Broadcast::make(e, 8); }
Stmt store(const Expr& first, const Expr& mask) {
    return Store::make("Y", all(1.0f), lanes(first), {}, mask, ModulusRemainder());
}
Stmt loop(const Stmt& body, ForType type = ForType::Serial, const std::string& name = "i") {
    return For::make(name, 2, 100, type, Halide::Partition::Auto, Halide::DeviceAPI::None, body);
}
/// The iterations of the loop after the pass, where n is a number.
int iterations(const Stmt& s, int number) {
    const Stmt ended = with_loops_ended(s);
    const Expr extent = simplify(substitute("n", number, ended.as<For>()->extent));
    const auto known = as_const_int(extent);
    return known ? static_cast<int>(*known) : -1;
}

TEST(MaskedLoops, TheLastIterationIsThatOfTheLastLane) {
    // From i = 2 on, of the places 8*i to 8*i + 7, those below n or up to n.
    const Stmt below = loop(store(i * 8, lanes(i * 8) < all(n))), up_to = loop(store(i * 8, lanes(i * 8) <= all(n)));
    for (const auto& [number, expected] : std::vector<std::pair<int, int>>{{-5, 0},
                                                                           {0, 0},
                                                                           {15, 0},
                                                                           {16, 0},
                                                                           {17, 1},
                                                                           {24, 1},
                                                                           {25, 2},
                                                                           {33, 3},
                                                                           {808, 99},
                                                                           {809, 100},
                                                                           {5000, 100}}) {
        EXPECT_EQ(iterations(below, number), expected) << number;
        EXPECT_EQ(iterations(up_to, number - 1), expected) << number;
    }
    // Through a name, beside another condition, and of several stores that of the one that reaches farther.
    const Expr t = Variable::make(Halide::Int(32), "t");
    const Stmt named = LetStmt::make("t", i * 8 + 1, store(t, all(k < 3) && lanes(t) < all(n)));
    EXPECT_EQ(iterations(loop(named), 25), 1);
    EXPECT_EQ(iterations(loop(named), 26), 2);
    const Stmt two = Block::make(named, store(i * 8, lanes(i * 8) < all(n)));
    EXPECT_EQ(iterations(loop(two), 25), 2);
    // Whole vectors as long as they fit, then one under a mask.
    const Stmt whole =
        IfThenElse::make(i * 8 + 8 <= n, store(i * 8, const_true(8)), store(i * 8, lanes(i * 8) < all(n)));
    EXPECT_EQ(iterations(loop(whole), 25), 2);
    // Rows under one mask: neither loop goes on.
    const Stmt rows = loop(loop(store(i * 8 + k * width, lanes(i * 8) < all(n)), ForType::Serial, "k"));
    EXPECT_EQ(iterations(rows, 25), 2);
}

TEST(MaskedLoops, WhereAnyIterationMayStoreTheyGoOn) {
    const std::vector<Stmt> bodies = {
        store(i * 8, const_true(8)),
        store(i * 8, all(k < n)),
        store(i * 8, all(n) < lanes(i * 8)),          // from a place on
        store(i * 8, lanes(n - i * 8) < all(width)),  // places that fall
        store(i * 8, lanes(i * width) < all(n)),      // nor how far a step is
        store(i * 8, lanes(i * 8) < all(i * 9)),      // an end that moves
        store(i * 8, lanes(i * 8) < all(n) || all(k < 3)),
        Block::make(store(i * 8, lanes(i * 8) < all(n)),
                    Evaluate::make(Call::make(Halide::Int(32), "f", {i}, Call::Extern))),
        IfThenElse::make(i * 8 < n, store(i * 8, const_true(8)), store(0, const_true(8))),
        Atomic::make("Y", "", store(i * 8, lanes(i * 8) < all(n))),
    };
    for (const Stmt& body : bodies) EXPECT_EQ(text_of(with_loops_ended(loop(body))), text_of(loop(body)));
    const Stmt parallel = loop(store(i * 8, lanes(i * 8) < all(n)), ForType::Parallel);
    EXPECT_EQ(text_of(with_loops_ended(parallel)), text_of(parallel));
    // An end that a loop inside moves is that loop's own.
    const Stmt triangle = loop(loop(store(k * 8, lanes(k * 8) < all(i)), ForType::Serial, "k"));
    EXPECT_EQ(with_loops_ended(triangle).as<For>()->extent.as<IntImm>()->value, 100);
}

TEST(MaskedLoops, ValuesAreThoseOfTheLoop) {
    // Strips of 64, 16 lanes at once, of rows that end anywhere.
    for (const int size : {1, 15, 16, 17, 63, 64, 65, 100, 128, 130}) {
        Var x("x"), strip("strip"), inside("inside"), vector("vector"), lane("lane");
        Func f("f");
        f(x) = 3 * x + 1;
        f.split(x, strip, inside, 64, Halide::TailStrategy::GuardWithIf)
            .split(inside, vector, lane, 16, Halide::TailStrategy::Predicate)
            .vectorize(lane);
        Halide::Pipeline pipeline(f);
        end_loops_with_masks(pipeline);
        const Halide::Buffer<int> y = pipeline.realize({size});
        for (int at = 0; at < size; at++) EXPECT_EQ(y(at), 3 * at + 1) << at << " of " << size;
    }
}

}  // namespace
}  // namespace halogen
