// Emitted headers against the library: the same shapes for random sizes, none exactly where the library refuses, and usable in
// constant expressions.

#include "frontend/shapes/answer.h"
#include "tests/shapes/emitted_programs.h"
#include "tests/solve/seed.h"

#include "conv2d_shapes.h"
#include "pieces_shapes.h"
#include "ranks_shapes.h"
#include "residual_shapes.h"

#include <gtest/gtest.h>

#include <functional>

namespace halogen {
namespace {

using Extents = std::vector<std::vector<std::int64_t>>;
constexpr int rounds = 10'000;

/// What a header computes, in the library's form.
template<typename Shapes>
std::optional<Extents> listed(const std::optional<Shapes>& shapes) {
    if (!shapes) return std::nullopt;
    Extents all;
    for (int i = 0; i < shapes->count; ++i) {
        const auto& shape = shapes->results[i];
        all.emplace_back(shape.extents, shape.extents + shape.rank);
    }
    return all;
}

std::optional<Extents> by_library(const shapes::ShapeProgram& program, const Bindings& sizes) {
    try {
        return shapes_for(program, sizes);
    } catch (const shapes::Refusal&) {
        return std::nullopt;
    }
}

struct Emitted {
    std::optional<Extents> shapes;
    const char* broken;
};

/// `sizes` draws; `emitted` asks the header.
void compare(std::size_t number, const std::function<Bindings(test::Dice&)>& draw,
             const std::function<Emitted(Bindings&)>& emitted) {
    const shapes::ShapeProgram program = test::emitted_program(number);
    test::Dice dice(test::seed_of_run(static_cast<unsigned>(number) + 1));
    int legal = 0;
    for (int i = 0; i < rounds; ++i) {
        Bindings sizes = draw(dice);
        const std::optional<Extents> wanted = by_library(program, sizes);
        const Emitted given = emitted(sizes);
        std::string text;
        for (const auto& [name, value] : sizes) text += name + " = " + std::to_string(value) + " ";
        ASSERT_EQ(given.shapes, wanted) << text;
        ASSERT_EQ(given.broken == nullptr, wanted.has_value()) << text << (given.broken ? given.broken : "");
        legal += wanted.has_value();
    }
    std::cout << rounds << " bindings, " << legal << " of them legal\n";
    EXPECT_GT(legal, rounds / 10);
    EXPECT_LT(legal, rounds);
}

TEST(EmittedShapes, AConvolutionAgreesWithTheLibrary) {
    compare(
        0,
        [](test::Dice& dice) {
            Bindings sizes;
            for (const char* name : {"n", "c", "h", "w", "k"}) sizes[name] = dice.between(dice.chance(5) ? -1 : 1, 40);
            for (const char* name : {"r", "s"}) sizes[name] = dice.between(0, 7);
            for (const char* name : {"t", "d"}) sizes[name] = dice.between(dice.chance(10) ? 0 : 1, 3);
            sizes["p"] = dice.between(dice.chance(10) ? -1 : 0, 3);
            return sizes;
        },
        [](Bindings& s) {
            const conv2d_shapes::Sizes sizes{.c = s["c"],
                                             .d = s["d"],
                                             .h = s["h"],
                                             .k = s["k"],
                                             .n = s["n"],
                                             .p = s["p"],
                                             .r = s["r"],
                                             .s = s["s"],
                                             .t = s["t"],
                                             .w = s["w"]};
            return Emitted{listed(conv2d_shapes::shapes(sizes)), conv2d_shapes::broken(sizes)};
        });
}

TEST(EmittedShapes, CeilingsAndBroadcastsAgreeWithTheLibrary) {
    compare(
        1, [](test::Dice& dice) { return Bindings{{"h", dice.between(-1, 60)}, {"n", dice.between(0, 66)}}; },
        [](Bindings& s) {
            const residual_shapes::Sizes sizes{.h = s["h"], .n = s["n"]};
            return Emitted{listed(residual_shapes::shapes(sizes)), residual_shapes::broken(sizes)};
        });
}

TEST(EmittedShapes, RanksThatDependOnSizesAgreeWithTheLibrary) {
    compare(
        2,
        [](test::Dice& dice) {
            return Bindings{{"k", dice.between(-1, 4)}, {"m", dice.between(0, 4)}, {"n", dice.between(0, 4)}};
        },
        [](Bindings& s) {
            const ranks_shapes::Sizes sizes{.k = s["k"], .m = s["m"], .n = s["n"]};
            return Emitted{listed(ranks_shapes::shapes(sizes)), ranks_shapes::broken(sizes)};
        });
}

TEST(EmittedShapes, CountsOfResultsAgreeWithTheLibrary) {
    compare(
        3, [](test::Dice& dice) { return Bindings{{"m", dice.between(-1, 9)}, {"n", dice.between(-1, 20)}}; },
        [](Bindings& s) {
            const pieces_shapes::Sizes sizes{.m = s["m"], .n = s["n"]};
            return Emitted{listed(pieces_shapes::shapes(sizes)), pieces_shapes::broken(sizes)};
        });
}

constexpr conv2d_shapes::Sizes image{
    .c = 3, .d = 1, .h = 224, .k = 64, .n = 1, .p = 3, .r = 7, .s = 7, .t = 2, .w = 224};
static_assert(conv2d_shapes::shapes(image)->results[0].extents[2] == 112);

TEST(EmittedShapes, ABrokenConditionIsNamedWithTheStepThatStatesIt) {
    conv2d_shapes::Sizes small = image;
    small.h = 0;
    EXPECT_STREQ(conv2d_shapes::broken(small), "h >= 1: conv2d `y` needs an input that is not empty");
    EXPECT_STREQ(residual_shapes::broken({.h = 8, .n = 65}), "n <= 64: the most that `n` may be");
}

}  // namespace
}  // namespace halogen
