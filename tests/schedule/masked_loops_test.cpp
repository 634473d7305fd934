// Loops go from the first to the last iteration in which a lane is stored, or a sum takes in more than zeros.

#include "schedules/bind/masked_loops.h"
#include "tests/schedule/rewritten.h"
#include "tests/schedule/statement_text.h"

#include "Halide.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;
using Halide::Internal::Call;
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

/// The first iteration after the pass, and how many there are, where n is a number.
std::pair<int, int> range(const Stmt& s, int number) {
    const Stmt ended = with_loops_ended(s);
    const auto known = [&](const Expr& e) {
        return static_cast<int>(*as_const_int(simplify(substitute("n", number, e))));
    };
    return {known(ended.as<For>()->min), known(ended.as<For>()->extent)};
}
using Range = std::pair<int, int>;

TEST(MaskedLoops, TheFirstIterationIsThatOfTheFirstLane) {
    // From i = 2 on, of the places 8*i to 8*i + 7, those from n on.
    const Stmt from = loop(store(i * 8, all(n) <= lanes(i * 8))),
               beyond = loop(store(i * 8, all(n - 1) < lanes(i * 8)));
    for (const auto& [number, expected] : std::vector<std::pair<int, Range>>{{-5, {2, 100}},
                                                                             {23, {2, 100}},
                                                                             {24, {3, 99}},
                                                                             {31, {3, 99}},
                                                                             {32, {4, 98}},
                                                                             {815, {101, 1}},
                                                                             {816, {102, 0}},
                                                                             {5000, {102, 0}}}) {
        EXPECT_EQ(range(from, number), expected) << number;
        EXPECT_EQ(range(beyond, number), expected) << number;
    }
    // Places that fall, an end that moves faster than they do, and both ends.
    EXPECT_EQ(range(loop(store(i * 8, lanes(n - i * 8) < all(8))), 40), Range(5, 97));
    EXPECT_EQ(range(loop(store(i * 8, lanes(i * 8 + n) < all(i * 9))), 10), Range(11, 91));
    EXPECT_EQ(range(loop(store(i * 8, all(n) <= lanes(i * 8) && lanes(i * 8) < all(n + 20))), 33), Range(4, 3));
}

TEST(MaskedLoops, ASumGoesFromTheFirstToTheLastTermThatItHas) {
    const Expr sum = Load::make(Halide::Float(32, 8), "S", lanes(0), {}, {}, const_true(8), ModulusRemainder());
    const Expr term = Load::make(Halide::Float(32, 8), "X", lanes(i * 8), {}, {}, const_true(8), ModulusRemainder());
    const Expr zero = all(0.0f), is_below = lanes(i * 8) < all(n);
    const auto add = [](const Expr& value) {
        return loop(Store::make("S", value, lanes(0), {}, const_true(8), ModulusRemainder()));
    };
    EXPECT_EQ(range(add(sum + select(is_below, term, zero)), 25), Range(2, 2));
    EXPECT_EQ(range(add(select(all(n) <= lanes(i * 8), zero, term) + sum), 25), Range(2, 2));
    EXPECT_EQ(range(add(sum + select(!is_below, term, zero)), 25), Range(3, 99));
    EXPECT_EQ(range(add(sum + select(all(i < n), term, zero)), 25), Range(2, 23));
    EXPECT_EQ(range(add(sum + select(is_below, term, zero) + select(all(i < 7), term, zero)), 25), Range(2, 5));
    // A band around n, in i32 and in i64.
    const Expr wide = Halide::cast(Halide::Int(64), n);
    const Expr near = abs(Ramp::make(wide - Halide::cast(Halide::Int(64), i * 8), make_const(Halide::Int(64), -1), 8));
    EXPECT_EQ(range(add(sum + select(Halide::cast(Halide::Int(64, 8), near) <= make_const(Halide::Int(64, 8), 5), term,
                                     zero)),
                    33),
              Range(3, 2));
    const Expr after = lanes(i * 8 - n), before = Ramp::make(n - i * 8, -1, 8);
    EXPECT_EQ(range(add(sum + select(after <= all(5) && before <= all(5), term, zero)), 33), Range(3, 2));
    // The greatest and the least likewise, as `extreme` of number.h makes them: NaN is looked at first.
    const Expr infinity = all(Expr(std::numeric_limits<float>::infinity()));
    const auto join = [&](const Expr& chosen, Call::IntrinsicOp op) {
        const Expr x = Variable::make(chosen.type(), "x");
        const Expr joined = Call::make(x.type(), op, {x, sum}, Call::PureIntrinsic);
        const Halide::Type bits = Halide::Int(32, 8);
        const Expr value =
            reinterpret(x.type(), select(is_nan(x), make_const(bits, 0x7fc00000), reinterpret(bits, joined)));
        return loop(
            LetStmt::make("x", chosen, Store::make("S", value, lanes(0), {}, const_true(8), ModulusRemainder())));
    };
    EXPECT_EQ(range(join(select(is_below, term, -infinity), Call::strict_max), 25), Range(2, 2));
    EXPECT_EQ(range(join(select(!is_below, infinity, term), Call::strict_min), 25), Range(2, 2));
    for (const Stmt& other : {join(select(is_below, term, infinity), Call::strict_max),
                              join(select(is_below, term, zero), Call::strict_min)})
        EXPECT_EQ(text_of(with_loops_ended(other)), text_of(other));
    // Not where something else is stored.
    for (const Expr& value : {sum + term, sum * select(is_below, term, zero), select(is_below, term, zero),
                              sum + select(is_below, term, all(1.0f)), sum + sum + select(is_below, term, zero),
                              term + select(is_below, term, zero)})
        EXPECT_EQ(text_of(with_loops_ended(add(value))), text_of(add(value)));
}

TEST(MaskedLoops, WhereAnyIterationMayStoreTheyGoOn) {
    const std::vector<Stmt> bodies = {
        store(i * 8, const_true(8)),
        store(i * 8, all(k < n)),
        store(i * 8, lanes(i * width) < all(n)),  // nobody knows how far a step is
        store(i * 8, lanes(i * 8) < all(i * width)),
        store(i * 8, lanes(i * 8) < all(i * 8)),  // an end that moves as they do
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

TEST(MaskedLoops, TrianglesAndBandsAreAsInterpreted) {
    std::vector<Settings> sizes;
    for (const int size : {0, 1, 2, 16, 17, 70})
        for (const int band : {0, 5, 100}) sizes.push_back({{"N", size}, {"W", band}});
    for (const char* equation : {"Y[i] += A[i, j]*X[j] where j <= i", "Y[j] += A[i, j]*X[i] where abs(i - j) <= W",
                                 "Y[i] max= A[i, j] + X[j] where j <= i + W and i <= j + W and j != i",
                                 "Y[j] min= A[i, j]*X[i] where not (j > i) or j >= i + W",
                                 "Y[i, k] += A[i, j]*B[j, k] where i - j < W and j - 2*i < W"})
        expect_variants_as_interpreted(
            "kernel k(A: f32[N, N], X: f32[N], B: f32[N, 20], W: size) -> Y: f32 { " + std::string(equation) + " }",
            sizes);
}

TEST(MaskedLoops, RaggedRowsAreAsInterpreted) {
    constexpr double lowest = std::numeric_limits<std::int32_t>::min(),
                     highest = std::numeric_limits<std::int32_t>::max();
    const double far = std::ldexp(1.0, 63);
    const std::map<std::string, HostTensor> ends{
        {"i32", values(Type::i32, {9}, {0, 5, 5, 23, 20, 70, lowest, highest, 64})},
        {"i64", values(Type::i64, {9}, {0, 5, 5, 23, 20, 70, -far, far - 1024, 64})}};
    for (const auto& [type, numbers] : ends)
        for (const int elements : {0, 1, 17, 70})
            for (const char* equation :
                 {"Y[i] += V[k]*X[C[k]] where P[i] <= k, k < P[i + 1]",
                  "Y[i] max= V[k] where k in 3:70, k >= P[i] and k < P[i + 1]",
                  "Y[i, d] += W[k, d] where P[i] <= k, P[i + 1] > k", "Y[i] += V[k] where k < P[i + 1], not (V[k] < 0)",
                  "Z[i] = P[i]/2; Y[i] += V[k] where Z[i] < k, k < Z[i] + 9"}) {
                const bool has_range = std::string(equation).find(" in 3:70") != std::string::npos;
                if (has_range && elements < 70) continue;
                expect_variants_as_interpreted(
                    fmt::format("kernel k(P: {}[9], C: i32[K], V: f32[K], W: f32[K, 20], X: f32[7]) -> Y: f32 {{ {} }}",
                                type, equation),
                    {{{"K", elements}}}, {{"P", numbers}});
            }
}

}  // namespace
}  // namespace halogen
