// Every second, third or fourth element of a tensor, read by whole vectors.

#include "schedules/bind/strided_vectors.h"

#include "schedules/bind/constant_difference.h"
#include "tests/kernels/memory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace halogen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

/// Y[x] = the sum of X[step*x + at] over all `at`, by vectors of `lanes`.
template<class T>
struct Stepped {
    Halide::ImageParam in{Halide::type_of<T>(), 1, "X"};
    Func out{"Y"};
    Var x{"x"}, o{"o"}, i{"i"};
    Stepped(int step, const std::vector<int>& at, int lanes, Halide::TailStrategy tail) {
        Expr sum;
        for (const int a : at) sum = sum.defined() ? sum + in(step * x + a) : in(step * x + a);
        out(x) = sum;
        out.split(x, o, i, lanes, tail).vectorize(i);
    }
};

template<class T>
void expect_values_and_no_reads_behind(int step, const std::vector<int>& at, int lanes, int extent,
                                       Halide::TailStrategy tail = Halide::TailStrategy::ShiftInwards) {
    SCOPED_TRACE(fmt::format("step {}, {} reads, {} lanes, {} elements", step, at.size(), lanes, extent));
    Stepped<T> f(step, at, lanes, tail);
    Halide::Pipeline pipeline(f.out);
    read_strided_vectors(pipeline);
    const int read = step * (extent - 1) + *std::max_element(at.begin(), at.end()) + 1;
    const testing::GuardedPages pages(static_cast<std::size_t>(read) * sizeof(T));
    T* x = reinterpret_cast<T*>(pages.end()) - read;  // the next byte faults
    for (int k = 0; k < read; k++) x[k] = static_cast<T>(k % 50);
    f.in.set(Halide::Buffer<T>(x, read));
    const Halide::Buffer<T> y = pipeline.realize({extent});
    for (int k = 0; k < extent; k++) {
        T sum = 0;
        for (const int a : at) sum = static_cast<T>(sum + x[step * k + a]);
        EXPECT_EQ(y(k), sum) << k;
    }
}

TEST(StridedVectors, ValuesAreRightAndNothingBehindTheLastElementIsRead) {
    for (const int step : {2, 3, 4})
        for (const std::vector<int>& at : {std::vector<int>{0}, {1, 0}, {5, 2, 0}, {0, 1, 2, 3, 4}})
            for (const int lanes : {4, 16})
                for (const int extent : {lanes, 3 * lanes - 1}) {
                    expect_values_and_no_reads_behind<float>(step, at, lanes, extent);
                    expect_values_and_no_reads_behind<std::uint8_t>(step, at, lanes, extent);
                }
}

TEST(StridedVectors, UnderAMaskOfLanesNothingIsReadBehindTheLastOfThem) {
    for (const int step : {2, 3, 4})
        for (const std::vector<int>& at : {std::vector<int>{0}, {1, 0}, {5, 2, 0}, {0, 1, 2, 3, 4}})
            for (const int lanes : {4, 16})
                for (const int extent : {1, lanes - 1, 2 * lanes + 3}) {
                    expect_values_and_no_reads_behind<float>(step, at, lanes, extent,
                                                             Halide::TailStrategy::GuardWithIf);
                    expect_values_and_no_reads_behind<double>(step, at, lanes, extent,
                                                              Halide::TailStrategy::GuardWithIf);
                    expect_values_and_no_reads_behind<std::uint8_t>(step, at, lanes, extent,
                                                                    Halide::TailStrategy::GuardWithIf);
                }
}

TEST(StridedVectors, OfTensorsThatThePipelineMadeAreReadSoToo) {
    Halide::ImageParam in(Halide::Float(32), 1, "X");
    Func rows("V"), out("Y");
    Var x("x"), o("o"), i("i");
    rows(x) = in(x) + 1;
    out(x) = rows(2 * x) + rows(2 * x + 1) * rows(2 * x + 2);
    rows.compute_root();
    out.split(x, o, i, 16, Halide::TailStrategy::ShiftInwards).vectorize(i);
    Halide::Pipeline pipeline(out);
    read_strided_vectors(pipeline);
    const int extent = 37;
    Halide::Buffer<float> input(2 * extent + 1);
    for (int k = 0; k < input.width(); k++) input(k) = static_cast<float>(k % 11);
    in.set(input);
    const Halide::Buffer<float> y = pipeline.realize({extent});
    for (int k = 0; k < extent; k++)
        EXPECT_EQ(y(k), input(2 * k) + 1 + (input(2 * k + 1) + 1) * (input(2 * k + 2) + 1)) << k;
}

using Halide::Internal::Stmt;

/// `Y` gets the sum of every `step`-th element of X, as many as the mask has lanes, from each of the places behind `b` on.
Stmt sum_of(int step, const std::vector<int>& places, const Expr& mask = Halide::Internal::const_true(8)) {
    using namespace Halide::Internal;
    const int lanes = mask.type().lanes();
    const Halide::Parameter input(Halide::Float(32), true, 1, "X");
    const Expr base = Variable::make(Halide::Int(32), "b");
    Expr sum = Broadcast::make(0.0f, lanes);
    for (const int place : places)
        sum =
            sum + Load::make(Halide::Float(32, lanes), "X", Ramp::make(base + place, step, lanes), {}, input, mask, {});
    return Store::make("Y", sum, Ramp::make(0, 1, lanes), {}, mask, {});
}

/// The different vectors of X that it reads.
std::set<std::string> vectors_in(const Stmt& s) {
    std::ostringstream code;
    code << with_strided_vectors(s);
    const std::string text = code.str();
    std::set<std::string> different;
    for (auto from = text.find("X[ramp("); from != std::string::npos; from = text.find("X[ramp(", from + 1))
        different.insert(text.substr(from + 2, text.find(']', from) - from - 2));
    return different;
}

std::set<std::string> vectors_of(int step, const std::vector<int>& places) { return vectors_in(sum_of(step, places)); }

TEST(StridedVectors, ReadsThatLieCloseShareTheirVectors) {
    using ::testing::UnorderedElementsAre;
    EXPECT_THAT(vectors_of(2, {0}), UnorderedElementsAre("ramp(b, 1, 8)", "ramp(b + 7, 1, 8)"));
    EXPECT_THAT(vectors_of(2, {1, 0}), UnorderedElementsAre("ramp(b, 1, 8)", "ramp(b + 8, 1, 8)"));
    EXPECT_THAT(vectors_of(2, {0, 2}), ::testing::SizeIs(4U)) << "as far apart as the step";
    EXPECT_THAT(vectors_of(4, {3, 1}), UnorderedElementsAre("ramp(b + 1, 1, 8)", "ramp(b + 9, 1, 8)",
                                                            "ramp(b + 17, 1, 8)", "ramp(b + 24, 1, 8)"));
    EXPECT_THAT(vectors_of(5, {0}), UnorderedElementsAre("ramp(b + 0, 5, 8)")) << "Halide reads each by itself";
}

TEST(StridedVectors, ReadsOneLaneFurtherTakeOneElementMoreWhereVectorsLieInTwoLinesOfTheCache) {
    using namespace Halide::Internal;
    const auto code_of = [](const Expr& mask) {
        std::ostringstream code;
        code << with_strided_vectors(sum_of(2, {2, 0, 1}, mask));
        return code.str();
    };
    const Stmt whole = sum_of(2, {2, 0, 1}, const_true(16));
    EXPECT_THAT(vectors_in(whole), ::testing::UnorderedElementsAre("ramp(b, 1, 16)", "ramp(b + 16, 1, 16)"));
    EXPECT_THAT(code_of(const_true(16)), ::testing::HasSubstr("X[b + 32]"));
    EXPECT_THAT(code_of(const_true(8)), ::testing::Not(::testing::HasSubstr("X[b + 16]")));
    const Expr masked = Ramp::make(Variable::make(Halide::Int(32), "x"), 1, 16) < 99;
    EXPECT_THAT(code_of(masked), ::testing::Not(::testing::HasSubstr("X[b + 32]")));
}

TEST(StridedVectors, ReadsShareTheirVectorsUnderOtherNamesToo) {
    using namespace Halide::Internal;
    const Stmt first = sum_of(2, {0}), second = sum_of(2, {1});
    EXPECT_THAT(vectors_in(LetStmt::make("a", 1, Block::make(first, LetStmt::make("c", 2, second)))),
                ::testing::UnorderedElementsAre("ramp(b, 1, 8)", "ramp(b + 8, 1, 8)"));
    EXPECT_THAT(vectors_in(Block::make(first, LetStmt::make("b", 2, second))), ::testing::SizeIs(4U));
}

TEST(StridedVectors, OneNameForTwoPlacesIsNotTakenForOne) {
    using namespace Halide::Internal;
    const Expr n = Variable::make(Halide::Int(32), "n");
    const Stmt both = Block::make(LetStmt::make("b", n, sum_of(2, {0})), LetStmt::make("b", n * 100, sum_of(2, {1})));
    EXPECT_THAT(vectors_in(both), ::testing::UnorderedElementsAre("ramp(b, 1, 8)", "ramp(b + 7, 1, 8)",
                                                                  "ramp(b + 1, 1, 8)", "ramp(b + 8, 1, 8)"));
}

TEST(StridedVectors, MasksOfTheFirstOrTheLastLanesAreThoseOfWholeVectors) {
    using namespace Halide::Internal;
    using ::testing::HasSubstr;
    const Expr n = Variable::make(Halide::Int(32), "n"), lanes = Ramp::make(Variable::make(Halide::Int(32), "x"), 1, 8),
               bound = Broadcast::make(n, 8);
    const auto code_of = [](const Stmt& s) {
        std::ostringstream code;
        code << with_strided_vectors(s);
        return code.str();
    };
    const std::string first = code_of(sum_of(2, {0}, lanes < bound));
    EXPECT_THAT(first, HasSubstr("X[ramp(b, 1, 8)] if (ramp(x*2, 1, 8) <= x8((n*2) + -2))"));
    EXPECT_THAT(first, HasSubstr("X[ramp(b + 7, 1, 8)] if (ramp((x*2) + 7, 1, 8) <= x8((n*2) + -2))"));
    EXPECT_THAT(code_of(sum_of(2, {0}, bound <= lanes)), HasSubstr("X[ramp(b, 1, 8)] if (x8(n*2) <= ramp(x*2, 1, 8))"));
    EXPECT_THAT(code_of(sum_of(2, {1, 0}, lanes <= bound)),
                HasSubstr("X[ramp(b + 8, 1, 8)] if (ramp((x*2) + 8, 1, 8) <= x8((n*2) + 1))"))
        << "one read or the other takes each element up to the last lane's";
    const Expr name = Variable::make(Halide::Bool(8), "m");
    EXPECT_THAT(code_of(LetStmt::make("m", lanes < bound, sum_of(2, {0}, name))), HasSubstr("X[ramp(b, 1, 8)] if"));
    EXPECT_THAT(code_of(sum_of(2, {0}, name)), HasSubstr("X[ramp(b + 0, 2, 8)] if")) << "nothing is known of it";
}

TEST(ConstantDifference, IsWhatStaysWhenAllElseCancels) {
    const Expr x = Var("x"), n = Var("n");
    EXPECT_EQ(constant_difference(x * 16 + (n + 2), (n - 1) + x * 16), 3);
    EXPECT_EQ(constant_difference(x * 16 - n, x * 16 - n), 0);
    EXPECT_EQ(constant_difference(x * 3, x * 2), std::nullopt);
    EXPECT_EQ(constant_difference(Halide::max(x, 0) + 5, Halide::max(x, 0)), 5);
}

}  // namespace
}  // namespace halogen
