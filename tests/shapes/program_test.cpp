// Programs of operators: networks with symbolic sizes, forwards and backwards, and programs that are wrong.

#include "frontend/shapes/answer.h"
#include "generators/emit/shape_json.h"
#include "tests/shapes/networks.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using shapes::ShapeProgram;

int step_named(const ShapeProgram& program, const std::string& out) {
    for (std::size_t s = 0; s < program.source.steps.size(); ++s) {
        if (program.source.steps[s].out == out) return static_cast<int>(s);
    }
    return -1;
}

std::string result(const ShapeProgram& program, int step) { return shapes::print_results(program, step).at(0); }

std::vector<std::string> guards(const ShapeProgram& program) {
    std::vector<std::string> texts;
    for (const shapes::StepGuard& g : program.paths.at(0).guards) texts.push_back(print(g.what.condition));
    return texts;
}

ShapeProgram shaped(shapes::StepProgram steps) {
    shapes::Library library;
    return shape_program(library, std::move(steps));
}

TEST(ShapeProgram, AChainOfConvolutionsNeedsOneConditionADim) {
    const ShapeProgram program = shaped(test::convolution_chain(400));
    EXPECT_EQ(result(program, 399), "[n, 8, h - 800, w - 800]");
    EXPECT_EQ(guards(program), (std::vector<std::string>{"h >= 801", "w >= 801"}));
}

TEST(ShapeProgram, EveryShapeOfResNet50IsAFormulaOfBatchAndImage) {
    const ShapeProgram program = shaped(test::resnet50());
    EXPECT_EQ(result(program, 0), "[n, 64, (h + 1)/2, (w + 1)/2]");
    EXPECT_EQ(result(program, step_named(program, "logits")), "[n, 1000]");
    EXPECT_EQ(guards(program), std::vector<std::string>{});
    EXPECT_EQ(shapes_for(program, {{"n", 2}, {"h", 224}, {"w", 224}}),
              (std::vector<std::vector<std::int64_t>>{{2, 1000}}));
}

TEST(ShapeProgram, TheImageOfResNet50FollowsFromAnyOfItsExtents) {
    const ShapeProgram program = shaped(test::resnet50());
    const int last_block = step_named(program, "flatten" + std::to_string(program.source.steps.size() - 2)) - 2;
    EXPECT_EQ(result(program, last_block), "[n, 2048, (h + 31)/32, (w + 31)/32]");
    const shapes::Solutions found =
        solve_backward(program, {{last_block, 0, 0, 2}, {last_block, 0, 2, 7}, {last_block, 0, 3, 1}});
    EXPECT_TRUE(found.complete);
    ASSERT_EQ(found.all.size(), 32u * 32u);
    EXPECT_EQ(found.all.front(), (Bindings{{"h", 193}, {"n", 2}, {"w", 1}}));
    EXPECT_EQ(found.all.back(), (Bindings{{"h", 224}, {"n", 2}, {"w", 32}}));
}

TEST(ShapeProgram, ATransformerKeepsBatchAndSequence) {
    const ShapeProgram program = shaped(test::transformer(12));
    EXPECT_EQ(result(program, step_named(program, "logits")), "[b, s, 50257]");
    EXPECT_EQ(guards(program), std::vector<std::string>{});
    const shapes::Solutions found = solve_backward(program, {{step_named(program, "logits"), 0, 1, 128}, {0, 0, 0, 4}});
    ASSERT_EQ(found.all.size(), 1u);
    EXPECT_EQ(found.all[0], (Bindings{{"b", 4}, {"s", 128}}));
}

TEST(ShapeProgram, EvenAndOddElementsPutTogetherAreAsManyAsBefore) {
    const ShapeProgram program = shaped(read_program(nlohmann::ordered_json::parse(
        R"({"inputs": {"x": {"shape": ["n"]}}, "steps": [
        {"out": "a", "op": "slice", "args": {"input": {"ref": "x"}, "start": 0, "step": 2}},
        {"out": "b", "op": "slice", "args": {"input": {"ref": "x"}, "start": 1, "step": 2}},
        {"out": "c", "op": "cat", "args": {"tensors": [{"ref": "a"}, {"ref": "b"}]}},
        {"out": "y", "op": "add", "args": {"input": {"ref": "x"}, "other": {"ref": "c"}}}]})")));
    EXPECT_EQ(result(program, 3), "[n]");
    EXPECT_EQ(guards(program), std::vector<std::string>{});
}

TEST(ShapeProgram, AProductThatEqualsItsFactorIsDecided) {
    const ShapeProgram program = shaped(read_program(nlohmann::ordered_json::parse(
        R"({"inputs": {"x": {"shape": ["n", 1]}}, "steps": [
        {"out": "t", "op": "expand", "args": {"input": {"ref": "x"}, "size": [-1, {"expr": "m"}]}},
        {"out": "v", "op": "view", "args": {"input": {"ref": "t"}, "size": [-1]}}]})")));
    using Shapes = std::vector<std::vector<std::int64_t>>;
    EXPECT_EQ(shapes_for(program, {{"m", 1}, {"n", 3}}), Shapes{{3}});
    EXPECT_EQ(shapes_for(program, {{"m", 5}, {"n", 1}}), Shapes{{5}});
    EXPECT_EQ(shapes_for(program, {{"m", 5}, {"n", 0}}), Shapes{{0}});
    EXPECT_THROW(shapes_for(program, {{"m", 2}, {"n", 3}}), shapes::Refusal);
}

std::vector<std::string> results_of(const std::string& program) {
    shapes::Library library;
    return print_results(shape_program(library, read_program(nlohmann::ordered_json::parse(program))), 0);
}

TEST(ShapeProgram, HowManyPiecesThereAreMayDependOnASizeThatHasARange) {
    EXPECT_EQ(results_of(R"({"symbols": {"n": {"min": 1, "max": 6}}, "inputs": {"x": {"shape": ["n"]}}, "steps": [
        {"out": "y", "op": "split", "args": {"input": {"ref": "x"}, "split_size": 3}}]})"),
              std::vector<std::string>{"([3], [n - 3]) if n >= 4 else ([n])"});
    EXPECT_EQ(results_of(R"({"inputs": {"x": {"shape": ["2*n"]}}, "steps": [
        {"out": "y", "op": "split", "args": {"input": {"ref": "x"}, "split_size": {"expr": "n"}}}]})"),
              std::vector<std::string>{"([n], [n]) if n >= 1 else ([0])"});
    EXPECT_EQ(results_of(R"({"symbols": {"n": {"min": 1, "max": 2}}, "inputs": {"x": {"shape": ["n", 5]}}, "steps": [
        {"out": "y", "op": "unbind", "args": {"input": {"ref": "x"}}}]})"),
              std::vector<std::string>{"([5], [5]) if n >= 2 else ([5])"});
}

TEST(ShapeProgram, WithoutARangeTheCountOfPiecesIsAskedFor) {
    shapes::Library library;
    const auto n = Formula::symbol("n");
    for (const char* op : {"unbind", "split", "chunk"}) {
        shapes::Arguments arguments{{"input", {shapes::Operand{{n}}}}};
        if (std::string(op) == "split") arguments.emplace("split_size", shapes::Argument{Formula(4)});
        if (std::string(op) == "chunk") arguments.emplace("chunks", shapes::Argument{Formula(40)});
        const auto all = library.infer(op, arguments);
        ASSERT_TRUE(all.back().refusal) << op;
        EXPECT_EQ(all.back().refusal->kind, shapes::Refused::undetermined);
        EXPECT_NE(all.back().refusal->error().fix.find("a range"), std::string::npos);
    }
}

TEST(ShapeProgram, BackwardsFromAnyStep) {
    const ShapeProgram program = shaped(test::resnet50());
    const int last = step_named(program, "logits");
    for (int step = 0; step <= last; step += 7) {
        const auto& shape = program.paths.at(0).results[static_cast<std::size_t>(step)][0].shape;
        const Bindings sizes{{"n", 3}, {"h", 224}, {"w", 160}};
        std::vector<shapes::Want> wants;
        for (std::size_t d = 0; d < shape.size(); ++d)
            wants.push_back({step, 0, static_cast<int>(d), evaluate(shape[d], sizes)});
        const shapes::Solutions found = solve_backward(program, wants);
        if (shape.size() < 4) {  // the image is not seen from there
            EXPECT_FALSE(found.complete);
            continue;
        }
        EXPECT_TRUE(found.complete) << step;
        EXPECT_NE(std::find(found.all.begin(), found.all.end(), sizes), found.all.end()) << step;
    }
}

TEST(ShapeProgram, ATransformerIsAnsweredBackwardsFromAnyStep) {
    const ShapeProgram program = shaped(test::transformer(12));
    const Bindings sizes{{"b", 4}, {"s", 128}};
    for (std::size_t step = 0; step < program.source.steps.size(); step += 5) {
        const auto& shape = program.paths.at(0).results[step][0].shape;
        std::vector<shapes::Want> wants;
        for (std::size_t d = 0; d < shape.size(); ++d)
            wants.push_back({static_cast<int>(step), 0, static_cast<int>(d), evaluate(shape[d], sizes)});
        EXPECT_EQ(solve_backward(program, wants).all, std::vector<Bindings>{sizes}) << step;
    }
}

}  // namespace
}  // namespace halogen
