// Vectors across rows are read along them, and turned in registers.

#include "schedules/bind/turned_vectors.h"
#include "tests/schedule/statement_text.h"

#include "Halide.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::Var;
using namespace Halide::Internal;

/// Counts the loops over blocks of turned vectors.
class CountTurned : public IRMutator {
public:
    explicit CountTurned(int* count) : count_(count) {}

private:
    using IRMutator::visit;
    Stmt visit(const For* loop) override {
        *count_ += loop->name.find(".turned") != std::string::npos;
        return IRMutator::visit(loop);
    }
    int* const count_;
};

/// How many loops of a Func are turned.
int turned_loops(Func f) {
    int count = 0;
    Halide::Pipeline pipeline(f);
    turn_vectors(pipeline);
    pipeline.add_custom_lowering_pass(new CountTurned(&count));
    pipeline.compile_to_module(f.infer_arguments(), "f");
    return count;
}

const Var n("n"), k("k"), j("j"), block("block");

/// A matrix whose rows lie wherever a caller has them.
ImageParam matrix(const Halide::Type& type, int dims = 2) {
    ImageParam x(type, dims, "x");
    x.dim(0).set_stride(Expr());
    return x;
}

/// The matrix with its rows side by side, by vectors across them.
template<typename T>
void expect_turned(int lanes) {
    ImageParam x = matrix(Halide::type_of<T>());
    const Var o("o"), l("l");
    Func f("f");
    f(n, k) = x(k, n) + Halide::cast<T>(1);
    f.split(n, o, l, lanes, Halide::TailStrategy::RoundUp).vectorize(l).reorder(l, k, o);
    EXPECT_EQ(turned_loops(f), 1);
    Halide::Pipeline pipeline(f);
    turn_vectors(pipeline);
    for (const int step : {1, 2})
        for (const int columns : {1, lanes - 1, lanes, lanes + 1, 3 * lanes + 2})
            for (const int rows : {lanes, 2 * lanes}) {
                Halide::Buffer<T> given(step * columns, rows);
                given.for_each_element(
                    [&](int at_k, int at_n) { given(at_k, at_n) = static_cast<T>(at_k + 7 * at_n); });
                halide_dimension_t dims[] = {{0, columns, step}, {0, rows, step * columns}};
                x.set(Halide::Buffer<T>(given.data(), 2, dims));
                const Halide::Buffer<T> found = pipeline.realize({rows, columns});
                found.for_each_element([&](int at_n, int at_k) {
                    EXPECT_EQ(found(at_n, at_k), static_cast<T>(given(step * at_k, at_n) + 1)) << at_n << ", " << at_k;
                });
            }
}

TEST(TurnedVectors, AreThoseAcrossRowsAroundAllBlocks) {
    expect_turned<float>(4);
    expect_turned<float>(8);
    expect_turned<float>(16);
    expect_turned<double>(4);
    expect_turned<double>(8);
    expect_turned<std::uint16_t>(8);
    expect_turned<std::uint8_t>(16);
}

/// Weights of a convolution in panels: `rows` filters of `outer` by `inner` taps, the inner ones `pitch` apart from the next.
void expect_packed(int outer, int inner, int pitch) {
    constexpr int rows = 8;
    ImageParam x = matrix(Halide::Float(32), 3);
    Func f("f");
    f(n, k, j) = x(clamp(k, 0, x.dim(0).extent() - 1), clamp(j, 0, x.dim(1).extent() - 1), n);
    f.bound(n, 0, rows).vectorize(n);
    f.output_buffer().dim(1).set_bounds(0, x.dim(0).extent()).set_stride(rows);
    f.output_buffer().dim(2).set_stride(rows * x.dim(0).extent());
    EXPECT_EQ(turned_loops(f), 1) << "both loops are one";
    Halide::Buffer<float> given(pitch, outer, rows);
    given.for_each_element([&](int a, int b, int c) { given(a, b, c) = static_cast<float>(a + 10 * b + 1000 * c); });
    given.crop(0, 0, inner);
    x.set(given);
    Halide::Pipeline pipeline(f);
    turn_vectors(pipeline);
    const Halide::Buffer<float> found = pipeline.realize({rows, inner, outer});
    found.for_each_element([&](int at_n, int at_k, int at_j) {
        EXPECT_EQ(found(at_n, at_k, at_j), static_cast<float>(at_k + 10 * at_j + 1000 * at_n));
    });
}

TEST(TurnedVectors, LoopsOneBehindTheOtherInMemoryAreOne) {
    for (const int outer : {1, 2, 5, 9})
        for (const int inner : {1, 3, 8}) {
            expect_packed(outer, inner, inner);
            expect_packed(outer, inner, inner + 2);
        }
}

TEST(TurnedVectors, OthersStayAsTheyAre) {
    const auto count = [](const Expr& value) {
        Func f("f");
        f(n, k) = value;
        f.bound(n, 0, 8).vectorize(n);
        return turned_loops(f);
    };
    ImageParam x = matrix(Halide::Float(32)), dense(Halide::Float(32), 2, "dense");
    EXPECT_EQ(count(x(k, n)), 1);
    EXPECT_EQ(count(dense(n, k)), 0) << "along rows already";
    EXPECT_EQ(count(x(k * k, n)), 0) << "by steps of another length each";
    EXPECT_EQ(count(dense(k * 2, n)), 0) << "every second element";
    EXPECT_EQ(count(dense(0, k)), 0) << "one element for all lanes";
    EXPECT_EQ(count(x(clamp(k, 0, x.dim(0).extent() - 1), n)), 1) << "held back from ends that the loop does not reach";
    const ImageParam y = matrix(Halide::Float(32), 3);
    Func both("both");
    both(n, k, j) = y(min(k + j, y.dim(0).extent() - 1), j, n);
    both.bound(n, 0, 8).vectorize(n);
    EXPECT_EQ(turned_loops(both), 1) << "the inner loop alone, where it reaches no end";
    Func f("f");
    f(n, k) = x(k, n);
    f.bound(n, 0, 8).vectorize(n).parallel(k);
    EXPECT_EQ(turned_loops(f), 0) << "by tasks";
}

TEST(TurnedVectors, PlacesThatTheLoopMovesAreReadWhenItsTurnComes) {
    const auto load = [](const std::string& name, const Expr& at) {
        const Halide::Type type = name == "X" ? Halide::Float(32) : Halide::Int(32);
        return Load::make(type.with_lanes(at.type().lanes()), name, at, {}, {}, const_true(at.type().lanes()), {});
    };
    const Expr i = Variable::make(Halide::Int(32), "i"), stride = Variable::make(Halide::Int(32), "stride");
    const Expr rows = load("X", Ramp::make(i + load("U", 0), stride, 8));
    const auto writes = [&](const std::string& places) {
        const Stmt value = Store::make("Y", rows, Ramp::make(i * 8, 1, 8), {}, const_true(8), {});
        const Stmt place = Store::make(places, i, 0, {}, const_true(), {});
        return For::make("i", 0, Variable::make(Halide::Int(32), "count"), ForType::Serial, Halide::Partition::Auto,
                         Halide::DeviceAPI::None, Block::make(value, place));
    };
    EXPECT_NE(text_of(with_turned_vectors(writes("V"))).find(".turned"), std::string::npos);
    EXPECT_EQ(text_of(with_turned_vectors(writes("U"))), text_of(writes("U")));
}

}  // namespace
}  // namespace halogen
