// What is done to Halide's code beside its own directives: choices between twins, and vectors of any stride.

#include "schedules/bind/output_reads.h"
#include "schedules/bind/skipped_sums.h"
#include "schedules/bind/taken_twins.h"
#include "schedules/bind/whole_vectors.h"

#include "Halide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

/// The lowered code of `f`, with the pass.
std::string code_of(const Func& f, const std::vector<Halide::Argument>& arguments) {
    Halide::Pipeline pipeline(f);
    write_whole_vectors(pipeline);
    std::ostringstream text;
    text << pipeline.compile_to_module(arguments, "f", Halide::Target("x86-64-linux-sse41-avx-avx2-no_runtime"))
                .functions()
                .back()
                .body;
    return text.str();
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) found++;
    return found;
}

/// Y[x] = 2*X[x] of any strides in vectors of 8, the rest behind a mask; `whole`: rests stay in the loop.
struct Doubled {
    Halide::ImageParam in{Halide::Float(32), 1, "X"};
    Func out{"Y"};
    Var x{"x"}, o{"o"}, i{"i"};
    explicit Doubled(Halide::Partition partition) {
        in.dim(0).set_stride(Expr());
        out(x) = 2.0f * in(x);
        out.output_buffer().dim(0).set_stride(Expr());
        out.split(x, o, i, 8, Halide::TailStrategy::Predicate).vectorize(i).partition(o, partition);
    }
};

/// When the sums S of a tile of 4 x 8 are added up: its first row is `t`, and of element (i, j) they are chosen where `chosen` says.
std::string sums_condition(const std::function<Expr(const Expr& i, const Expr& j)>& chosen) {
    using namespace Halide::Internal;
    const auto variable = [](const char* name) { return Variable::make(Halide::Int(32), name); };
    const Expr i = variable("i"), row = variable("t") * 4 + i, lanes = Ramp::make(variable("u") * 8, 1, 8);
    const Halide::Type floats = Halide::Float(32, 8);
    const Expr place = Ramp::make(i * 8, 1, 8), all = const_true(8);
    const Expr sums = Load::make(floats, "S", place, {}, {}, all, {});
    const auto loop = [](const char* name, int count, const Stmt& body) {
        return For::make(name, 0, count, ForType::Serial, Halide::Partition::Auto, Halide::DeviceAPI::None, body);
    };
    const Expr wanted = Halide::select(chosen(Broadcast::make(row, 8), lanes), sums, Broadcast::make(0.0f, 8));
    const Stmt add = loop("k", 9, Store::make("S", sums + 1.0f, place, {}, all, {}));
    const Stmt use = loop("i", 4, Store::make("Y", wanted, Ramp::make(row * 99, 1, 8), {}, all, {}));
    const Stmt tile = Block::make(ProducerConsumer::make_produce("S", add), ProducerConsumer::make_consume("S", use));
    std::ostringstream text;
    text << without_unused_sums(
        Allocate::make("S", Halide::Float(32), Halide::MemoryType::Stack, {32}, const_true(), tile));
    const std::string code = text.str();
    const auto from = code.find("if ("), loop_at = code.find("for (k");
    return from < loop_at ? code.substr(from, code.find(" {", from) - from) : "always";
}

TEST(SkippedSums, TilesThatNobodyAsksForAreNotAddedUp) {
    EXPECT_EQ(sums_condition([](const Expr& i, const Expr& j) { return j <= i; }), "if (((u*8) + -3) <= (t*4))");
    EXPECT_EQ(sums_condition([](const Expr& i, const Expr& j) { return j > i && i + j < 50; }),
              "if (((t*4) < ((u*8) + 7)) && (((u*2) + t) < 13))");
}

TEST(SkippedSums, AllAreAddedUpWhereSomeMayBeAskedFor) {
    EXPECT_EQ(sums_condition([](const Expr&, const Expr& j) { return j == j; }), "always");
    EXPECT_EQ(sums_condition([](const Expr& i, const Expr& j) {
                  return Halide::Internal::Load::make(Halide::Int(32, 8), "F", j + i, {}, {},
                                                      Halide::Internal::const_true(8), {}) == 0;
              }),
              "always");
}

TEST(WholeVectors, AnInnermostLoopStandsOnceMoreForDenseBuffers) {
    Doubled f(Halide::Partition::Auto);
    const std::string code = code_of(f.out, {f.in});
    EXPECT_GE(count(code, "if ((X.stride.0 == 1) && (Y.stride.0 == 1))"), 1) << code;
    EXPECT_GE(count(code, "Y.stride.0, 8)"), 1) << "for other strides";
}

TEST(WholeVectors, AMaskIsAskedForWhereTheLoopIsNotPartitioned) {
    Doubled apart(Halide::Partition::Auto), together(Halide::Partition::Never);
    const std::string question = "*8) + 8) <= Y";
    EXPECT_EQ(count(code_of(apart.out, {apart.in}), question), 0);
    EXPECT_GE(count(code_of(together.out, {together.in}), question), 1) << code_of(together.out, {together.in});
}

TEST(WholeVectors, ValuesAreThoseOfEveryStrideAndRest) {
    for (const int stride : {1, 2, 3})
        for (const int extent : {1, 7, 8, 9, 16, 21}) {
            Doubled f(Halide::Partition::Never);
            Halide::Pipeline pipeline(f.out);
            write_whole_vectors(pipeline);
            std::vector<float> x(static_cast<std::size_t>(extent * stride)), y(x.size(), -1);
            for (std::size_t k = 0; k < x.size(); k++) x[k] = static_cast<float>(k);
            halide_dimension_t dim{0, extent, stride};
            Halide::Buffer<float> in(Halide::Runtime::Buffer<float>(x.data(), 1, &dim));
            Halide::Buffer<float> out(Halide::Runtime::Buffer<float>(y.data(), 1, &dim));
            f.in.set(in);
            pipeline.realize(out);
            for (std::size_t k = 0; k < y.size(); k++)
                EXPECT_EQ(y[k], k % static_cast<std::size_t>(stride) ? -1 : 2 * x[k]) << stride << " " << extent;
        }
}

TEST(OutputReads, AnOutputThatIsReadMayLieAtAnyElement) {
    for (const int shift : {0, 1, 3, 4}) {
        Halide::ImageParam in(Halide::Float(32), 1, "X");
        Func first("Y"), second("Z");
        Var x("x");
        first(x) = in(x) + 1;
        second(x) = first(x) * 2;
        first.compute_root().vectorize(x, 8, Halide::TailStrategy::RoundUp);
        second.vectorize(x, 8, Halide::TailStrategy::RoundUp);
        for (Func* f : {&first, &second}) f->output_buffer().dim(0).set_bounds(0, 16);
        Halide::Pipeline pipeline({first, second});
        read_outputs_unaligned(pipeline, {first, second});
        std::vector<float> values(3 * 64);
        const auto start = (64 - reinterpret_cast<std::uintptr_t>(values.data()) % 64) % 64 / sizeof(float);
        const auto at = [&](std::size_t tensor) { return values.data() + start + tensor * 32 + shift; };
        for (int k = 0; k < 16; k++) at(0)[k] = static_cast<float>(k);
        in.set(Halide::Buffer<float>(at(0), 16));
        const std::vector<Halide::Buffer<>> out = {Halide::Buffer<float>(at(1), 16), Halide::Buffer<float>(at(2), 16)};
        pipeline.realize(Halide::Realization(out));
        for (int k = 0; k < 16; k++) EXPECT_EQ(at(2)[k], static_cast<float>(2 * (k + 1))) << shift;
    }
}

/// Of twins `a` and `b`, each computed in a loop of its own branch alone, Halide finds one in a branch that does not take it: it
/// does not see that `W + H < 9` is what `W + H >= 9` leaves.
TEST(Twins, EachBranchTakesItsOwn) {
    Halide::ImageParam in(Halide::Int(32), 1, "X");
    Func a("a"), b("b"), y("Y");
    Var x("x"), o("o"), i("i");
    const Expr many = in.dim(0).extent() * 3 + in.dim(0).stride() >= 31;
    a(x) = in(x) + 1;
    b(x) = in(x) + 1;
    y(x) = Halide::select(many && in.dim(0).extent() >= 8, a(x), b(x));
    y.specialize(many && in.dim(0).extent() >= 8).split(x, o, i, 8, Halide::TailStrategy::ShiftInwards);
    a.compute_at(y, o);
    b.compute_at(y, x);
    take_twins(y);
    for (const int extent : {1, 7, 8, 30}) {
        Halide::Buffer<int> data(extent);
        data.for_each_element([&](int at) { data(at) = at; });
        in.set(data);
        const Halide::Buffer<int> result = y.realize({extent});
        for (int k = 0; k < extent; k++) EXPECT_EQ(result(k), k + 1);
    }
}

}  // namespace
}  // namespace halogen
