// Iterations that data choose are listed before they are made.

#include "schedules/bind/listed_iterations.h"

#include "tests/schedule/rewritten.h"
#include "tests/schedule/statements.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using namespace Halide::Internal;

Expr element(const std::string& tensor, const Expr& at) { return element_of(tensor, at, Halide::Int(32)); }
const Expr i = variable("i"), t = variable("t");

std::size_t loops_in(const Stmt& s) {
    const std::string text = text_of(s);
    std::size_t found = 0;
    for (auto at = text.find("for ("); at != std::string::npos; at = text.find("for (", at + 1)) found++;
    return found;
}

TEST(ListedIterations, WhatDataChooseIsListedFirst) {
    const Stmt kept = write(element("P", i), element("X", i));
    for (const Stmt& body : {IfThenElse::make(element("X", i) > 3, kept),
                             LetStmt::make("t", element("X", i), IfThenElse::make(t > i, write(element("P", i), t))),
                             IfThenElse::make(element("X", i) > 3, write(i / 2, element("Y", i / 2) + 1))})
        EXPECT_EQ(loops_in(with_listed_iterations(loop(body))), 3U) << body;
}

TEST(ListedIterations, OtherLoopsAreLeftAsTheyAre) {
    const Stmt kept = write(element("P", i), element("X", i));
    const Expr chosen = element("X", i) > 3;
    for (const Stmt& body : std::vector<Stmt>{
             IfThenElse::make(i > 3, kept),                                               // no data
             IfThenElse::make(element("Y", i) > 3, kept),                                 // which are written
             IfThenElse::make(element("X", i) >= 0, write(element("X", i), 1)),           // a place's own guard
             LetStmt::make("t", element("X", i), IfThenElse::make(t >= 0, write(t, 1))),  // by its name
             IfThenElse::make(chosen, kept, write(i, 0)),                                 // either way something
             IfThenElse::make(chosen, For::make("j", 0, 9, ForType::Serial, Halide::Partition::Auto,
                                                Halide::DeviceAPI::None, kept)),  // a whole loop
             Block::make(kept, IfThenElse::make(chosen, kept)),
         })
        EXPECT_EQ(text_of(with_listed_iterations(loop(body))), text_of(loop(body)));
    const Stmt body = IfThenElse::make(chosen, kept);
    for (const Stmt& s : {loop(body, ForType::Serial, 9), loop(body, ForType::Parallel)})
        EXPECT_EQ(text_of(with_listed_iterations(s)), text_of(s)) << "short, or in no order";
}

/// Around a block of the list.
void expect_on_all_legs(const std::string& text) {
    std::vector<Settings> sizes;
    for (const int n : {1, 2, 255, 256, 257, 600}) sizes.push_back({{"N", n}});
    expect_variant_as_interpreted_on_all_legs(text, {}, sizes);
}

TEST(ListedIterations, MakeWhatTheLoopMakes) {
    expect_on_all_legs(
        "kernel k(X: f32[N], t: f32) -> (Y: f32[N], Count: i32) { K[i] = i32(X[i] > t); P[0] = K[0]; "
        "P[i] = P[i-1] + K[i] where i in 1:N; Y[P[i] - 1] = X[i] where X[i] > t; Count[] += K[i] }");
    expect_on_all_legs("kernel k(I: u8[N], X: f32[N], t: f32) -> S: f32[256] { S[I[n]] += X[n] where X[n] > t }");
    expect_on_all_legs(
        "kernel k(I: u8[N], B: bool[N], X: f32[N]) -> S: f32[256] { S[I[n]] max= X[n] where B[n], n > 3 }");
}

}  // namespace
}  // namespace halogen
