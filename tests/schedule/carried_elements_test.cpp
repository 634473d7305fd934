// What one iteration writes and the next one reads stays in a register.

#include "schedules/bind/carried_elements.h"
#include "tests/schedule/statements.h"

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

Expr element(const Expr& at) { return element_of("Y", at); }
const Expr i = variable("i"), stride = variable("stride");

int reads_in(const Stmt& s) {
    const std::string text = text_of(s), read = "+ (float32)Y[";
    int found = 0;
    for (auto at = text.find(read); at != std::string::npos; at = text.find(read, at + 1)) found++;
    return found;
}

TEST(CarriedElements, TheNextIterationReadsNoMemory) {
    const auto sum = [](const Expr& at, const Expr& from) { return write(at, 1.0f + element(from)); };
    const Stmt three = Block::make({sum(i * 3, i * 3 - 3), sum(i * 3 + 1, i * 3 - 2), sum(i * 3 + 2, i * 3 - 1)});
    EXPECT_EQ(reads_in(loop(three)), 3);
    EXPECT_EQ(reads_in(with_carried_elements(loop(three))), 0);
    // Through a name that stands before the store, and downwards.
    const Expr t = Variable::make(Halide::Int(32), "t");
    const Stmt named = LetStmt::make("t", 100 - i * 2, sum(t + 5, t + 7));
    EXPECT_EQ(reads_in(with_carried_elements(loop(named))), 0);
}

TEST(CarriedElements, WhatMayBeWrittenAgainOrIsReadUnderAConditionIsLeft) {
    const Stmt next = write(i + 1, 1.0f + element(i));
    const Expr chosen =
        Call::make(Halide::Float(32), Call::if_then_else, {i > 1, element(i - 1), 0.0f}, Call::PureIntrinsic);
    std::vector<Stmt> bodies = {
        Block::make(next, write(i, 0.0f)),  // an element of the one before
        Block::make(write(i * 3, 1.0f + element(i * 3 - 3)), write(i * 3 + stride, 0.0f)),  // who knows where
        write(i * stride, 1.0f + element(i * stride - stride)),                             // nor how far a step is
        write(i * 2, 1.0f + element(i * 2 - 1)),                                            // another element
        write(i, 1.0f + chosen),
    };
    const Expr one = 1.0f + element(Variable::make(Halide::Int(32), "t"));  // under a name that means two places
    const auto under = [](const Expr& place, const Stmt& body) { return LetStmt::make("t", place, body); };
    bodies.push_back(Block::make(under(i * 2 - 2, write(i * 2, one)), under(5, write(i * 2 + 1, one))));
    for (const Stmt& body : bodies) EXPECT_EQ(text_of(with_carried_elements(loop(body))), text_of(loop(body)));
    const Stmt parallel = loop(next, ForType::Parallel);
    EXPECT_EQ(text_of(with_carried_elements(parallel)), text_of(parallel));
}

/// Y[i, c] = Y[i - 1, c]/2 + X[i, c] for i from 1 on, of `channels`, over `rows` rows that X begins.
Halide::Buffer<float> smoothed(const Halide::Buffer<float>& x, int channels, int rows) {
    Halide::ImageParam in(Halide::Float(32), 2, "X");
    Func out("Y");
    Var c("c"), n("n");
    const Halide::RDom r(1, rows - 1);
    out(c, n) = in(c, n);
    out(c, r) = out(c, r - 1) / 2 + in(c, r);
    out.bound(c, 0, channels).unroll(c);
    out.update().unroll(c);
    out.output_buffer().dim(1).set_stride(channels);
    in.dim(1).set_stride(channels);
    Halide::Pipeline pipeline(out);
    carry_elements(pipeline);
    in.set(x);
    return pipeline.realize({channels, rows});
}

TEST(CarriedElements, ValuesAreThoseOfTheLoop) {
    for (const int channels : {1, 2, 3, 4})
        for (const int rows : {1, 2, 3, 20}) {
            Halide::Buffer<float> x(channels, rows), expected(channels, rows);
            x.for_each_element([&](int c, int n) { x(c, n) = static_cast<float>((5 * c + 3 * n) % 7); });
            expected.for_each_element([&](int c, int n) { expected(c, n) = x(c, n); });
            for (int n = 1; n < rows; n++)
                for (int c = 0; c < channels; c++) expected(c, n) = expected(c, n - 1) / 2 + x(c, n);
            const Halide::Buffer<float> y = smoothed(x, channels, rows);
            y.for_each_element([&](int c, int n) { EXPECT_EQ(y(c, n), expected(c, n)) << c << " " << n; });
        }
}

}  // namespace
}  // namespace halogen
