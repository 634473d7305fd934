// Wrong calls: each message names operator, argument and value, and what would do.

#include "generators/emit/shape_json.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using Json = nlohmann::json;

std::string message(const std::string& op, const std::string& arguments) {
    const Json answer = answer_cases({{"op", op}, {"args", Json::parse(arguments)}})[0];
    return answer.contains("error") ? answer["error"].get<std::string>() + ": " + answer["message"].get<std::string>()
                                    : answer.dump();
}

TEST(ShapeRefusal, MatricesThatDoNotMultiply) {
    EXPECT_EQ(message("matmul", R"({"input": {"shape": [2, 3]}, "other": {"shape": [4, 5]}})"),
              "size_mismatch: matmul needs dim 0 of `other` to be dim 1 of `input`, but 4 is not 3\n"
              "  at   matmul(input=[2, 3], other=[4, 5])\n"
              "  fix  nearest that would do: input = [2, 4], or other = [3, 5]");
}

TEST(ShapeRefusal, MatrixTimesVectorOfMm) {
    EXPECT_EQ(message("mm", R"({"input": {"shape": [2, 3]}, "mat2": {"shape": [3]}})"),
              "rank: mm: `mat2` is [3], of rank 1 and not 2\n"
              "  at   mm(input=[2, 3], mat2=[3])");
}

TEST(ShapeRefusal, ADimThatIsNotThere) {
    EXPECT_EQ(message("sum", R"({"input": {"shape": [2, 3]}, "dim": [2]})"),
              "dim_out_of_range: sum: `dim` is 2, in a tensor of rank 2\n"
              "  at   sum(dim=[2], input=[2, 3])\n"
              "  fix  give a dim from -2 to 1");
}

TEST(ShapeRefusal, ADimNamedTwice) {
    EXPECT_EQ(message("permute", R"({"input": {"shape": [2, 3, 4]}, "dims": [0, 0, 1]})"),
              "duplicate_dim: permute: `dims` names dim 0 twice: [0, 0, 1]\n"
              "  at   permute(dims=[0, 0, 1], input=[2, 3, 4])\n"
              "  fix  nearest that would do: dims = [2, 0, 1]");
}

TEST(ShapeRefusal, AWindowThatDoesNotFit) {
    EXPECT_EQ(message("conv1d", R"({"input": {"shape": [1, 2, 4]}, "weight": {"shape": [3, 2, 5]}})"),
              "kernel_too_large: conv1d needs a window no longer than the padded input, but 4 is less than 5\n"
              "  at   conv1d(input=[1, 2, 4], weight=[3, 2, 5])\n"
              "  fix  nearest that would do: input = [1, 2, 5], or weight = [3, 2, 4]");
}

TEST(ShapeRefusal, ChannelsThatDoNotDivideIntoGroups) {
    EXPECT_EQ(message("conv1d", R"({"input": {"shape": [1, 6, 9]}, "weight": {"shape": [7, 3, 3]}, "groups": 2})"),
              "not_divisible: conv1d needs channels of `weight` that divide into `groups`, but 7 is no multiple of 2\n"
              "  at   conv1d(groups=2, input=[1, 6, 9], weight=[7, 3, 3])\n"
              "  fix  nearest that would do: weight = [8, 3, 3]");
}

TEST(ShapeRefusal, ElementsThatDoNotFill) {
    EXPECT_EQ(message("reshape", R"({"input": {"shape": [2, 3]}, "shape": [4, -1]})"),
              "numel_mismatch: reshape needs elements that divide by the other extents, but 6 is no multiple of 4\n"
              "  at   reshape(input=[2, 3], shape=[4, -1])\n"
              "  fix  nearest that would do: input = [2, 4], or shape = [3, -1]");
}

TEST(ShapeRefusal, ExtentsThatDoNotBroadcast) {
    EXPECT_EQ(message("add", R"({"input": {"shape": [2, 3]}, "other": {"shape": [4]}})"),
              "size_mismatch: add needs extents that are equal or 1, but 3 is not 4\n"
              "  at   add(input=[2, 3], other=[4])\n"
              "  fix  nearest that would do: input = [2, 4], or other = [3]");
}

TEST(ShapeRefusal, AModeThatIsNone) {
    EXPECT_EQ(message("pad", R"({"input": {"shape": [1, 2, 4]}, "pad": [1, 1], "mode": "mirror"})"),
              "bad_mode: pad: `mode` is \"mirror\"\n"
              "  at   pad(input=[1, 2, 4], mode=\"mirror\", pad=[1, 1])\n"
              "  fix  give \"constant\", \"reflect\", \"replicate\" or \"circular\"");
}

TEST(ShapeRefusal, IndicesThatAreNoIntegers) {
    EXPECT_EQ(message("embedding", R"({"weight": {"shape": [10, 4]}, "indices": {"shape": [3]}})"),
              "dtype: embedding: `indices` holds f32\n"
              "  at   embedding(indices=[3], weight=[10, 4])\n"
              "  fix  give integers: i64 or i32");
}

TEST(ShapeRefusal, AnOperatorThatIsNone) {
    EXPECT_EQ(message("matmull", "{}"),
              "call: there is no operator `matmull`\n"
              "  fix  did you mean `matmul`? `halogen ops` lists them");
}

TEST(ShapeRefusal, AnArgumentThatIsNone) {
    EXPECT_EQ(message("relu", R"({"inputs": {"shape": [2]}})"),
              "call: relu has no argument `inputs`\n"
              "  at   relu(inputs=[2])\n"
              "  fix  did you mean `input`? it takes input: tensor");
}

TEST(ShapeRefusal, AnArgumentOfTheWrongSort) {
    EXPECT_EQ(message("sum", R"({"input": {"shape": [2]}, "keepdim": 1})"),
              "call: sum: `keepdim` is 1\n"
              "  at   sum(input=[2], keepdim=1)\n"
              "  fix  give true or false");
}

TEST(ShapeRefusal, ANegativeExtent) {
    EXPECT_EQ(message("relu", R"({"input": {"shape": [2, -3]}})"),
              "not_positive: relu: `input` holds the extent -3\n"
              "  fix  give 0 or more");
}

TEST(ShapeRefusal, RulesOfModesAndTypes) {
    const std::pair<const char*, const char*> wrong[] = {
        {"gelu", R"({"input": {"shape": [2]}, "approximate": "erf"})"},
        {"sub", R"({"input": {"shape": [2], "dtype": "bool"}, "other": {"shape": [2]}})"},
        {"left_shift", R"({"input": {"shape": [2], "dtype": "bool"}, "other": {"shape": [2], "dtype": "bool"}})"},
        {"isclose", R"({"input": {"shape": [2], "dtype": "f64"}, "other": {"shape": [2]}})"},
        {"lerp", R"({"input": {"shape": [2]}, "end": {"shape": [2], "dtype": "f64"}, "weight": {"shape": []}})"},
        {"addcdiv", R"({"input": {"shape": [2]}, "tensor1": {"shape": [2], "dtype": "i64"},
                        "tensor2": {"shape": [2], "dtype": "i64"}})"},
        {"searchsorted", R"({"sorted_sequence": {"shape": [5]}, "input": {"shape": [2]}, "side": "middle"})"},
        {"searchsorted",
         R"({"sorted_sequence": {"shape": [5]}, "input": {"shape": [2]}, "side": "left", "right": true})"},
        {"searchsorted", R"({"sorted_sequence": {"shape": [5]}, "input": {"shape": [2]},
                             "sorter": {"shape": [4], "dtype": "i64"}})"},
        {"embedding_bag", R"({"weight": {"shape": [9, 4]}, "indices": {"shape": [6], "dtype": "i64"},
                              "offsets": {"shape": [2], "dtype": "i64"}, "mode": 3})"},
        {"embedding_bag", R"({"weight": {"shape": [9, 4]}, "indices": {"shape": [6], "dtype": "i64"}, "mode": 1,
                              "offsets": {"shape": [2], "dtype": "i64"}, "per_sample_weights": {"shape": [6]}})"},
        {"cdist", R"({"x1": {"shape": [2, 3]}, "x2": {"shape": [4, 3]}, "p": -0.5})"},
        {"renorm", R"({"input": {"shape": [2, 3]}, "p": 0, "dim": 0, "maxnorm": 1})"},
        {"renorm", R"({"input": {"shape": [2, 3]}, "p": 2, "dim": 0, "maxnorm": -1})"},
        {"im2col", R"({"input": {"shape": [1, 3, 8, 8]}, "kernel_size": [2]})"},
        {"adaptive_avg_pool2d", R"({"input": {"shape": [1, 3, 8, 8]}, "output_size": [2]})"},
        {"linalg_solve", R"({"A": {"shape": [3, 3]}, "B": {"shape": [3, 2]}, "left": false})"},
        {"linalg_solve", R"({"A": {"shape": [3, 3]}, "B": {"shape": [3]}, "left": false})"},
    };
    for (const auto& [op, arguments] : wrong)
        EXPECT_NE(message(op, arguments).find(std::string(": ") + op), std::string::npos) << message(op, arguments);
}

TEST(ShapeRefusal, OddCallsThatAreLegal) {
    const auto shapes = [](const char* op, const char* arguments) {
        return answer_cases({{"op", op}, {"args", Json::parse(arguments)}})[0].value("shapes", Json()).dump();
    };
    EXPECT_EQ(shapes("any_dims", R"({"input": {"shape": [2, 3], "dtype": "bool"}, "dim": []})"), "[[2,3]]");
    EXPECT_EQ(shapes("sum", R"({"input": {"shape": [2, 3]}, "dim": []})"), "[[]]");
    EXPECT_EQ(shapes("linalg_solve", R"({"A": {"shape": [3, 3]}, "B": {"shape": [2, 3]}, "left": false})"), "[[2,3]]");
    EXPECT_EQ(shapes("adaptive_avg_pool2d", R"({"input": {"shape": [1, 3, 8, 8]}, "output_size": 2})"), "[[1,3,2,2]]");
    EXPECT_EQ(shapes("einsum", R"({"equation": "...i,i", "tensors": [{"shape": [2, 3, 4]}, {"shape": [4]}]})"),
              "[[2,3]]");
    EXPECT_EQ(shapes("slice", R"({"input": {"shape": [5]}, "dim": 0, "start": -9, "end": 99, "step": 3})"), "[[2]]");
}

/// What is said of a program that no sizes make legal.
std::string program_message(const std::string& program) {
    const Json answer = answer_cases(nlohmann::ordered_json::parse(program))[0];
    return answer.contains("error") ? answer["error"].get<std::string>() + ": " + answer["message"].get<std::string>()
                                    : answer.dump();
}

TEST(WrongProgram, MatricesThatNeverMultiply) {
    EXPECT_EQ(program_message(R"({"inputs": {"a": {"shape": ["n", 3]}, "b": {"shape": [4, "m"]}}, "steps": [
        {"out": "y", "op": "matmul", "args": {"input": {"ref": "a"}, "other": {"ref": "b"}}}]})"),
              "size_mismatch: matmul needs dim 0 of `other` to be dim 1 of `input`, but 4 is not 3\n"
              "  at   y = matmul(input=[n, 3], other=[4, m])");
}

TEST(WrongProgram, SumsOfSizesThatAreNeverEqual) {
    EXPECT_EQ(program_message(R"({"inputs": {"a": {"shape": ["n + 2"]}, "b": {"shape": ["n + 4"]}}, "steps": [
        {"out": "y", "op": "add", "args": {"input": {"ref": "a"}, "other": {"ref": "b"}}}]})"),
              "size_mismatch: add `y` needs extents that are equal or 1: n + 2 == 1 or n + 4 == 1, which never holds");
}

TEST(WrongProgram, AnEvenSizeAgainstAnOddOne) {
    EXPECT_EQ(program_message(R"({"inputs": {"a": {"shape": ["2*n + 2"]}, "b": {"shape": ["2*m + 3"]}}, "steps": [
        {"out": "y", "op": "mul", "args": {"input": {"ref": "a"}, "other": {"ref": "b"}}}]})"),
              "size_mismatch: mul `y` needs extents that are equal or 1: 2*n + 2 == 2*m + 3, which cannot hold with "
              "what comes before");
}

TEST(WrongProgram, AnOddCountCutInTwo) {
    EXPECT_EQ(
        program_message(R"({"inputs": {"x": {"shape": ["2*n + 1"]}}, "steps": [
        {"out": "y", "op": "reshape", "args": {"input": {"ref": "x"}, "shape": [-1, 2]}}]})"),
        "numel_mismatch: reshape needs elements that divide by the other extents, but 2*n + 1 is no multiple of 2\n"
        "  at   y = reshape(input=[2*n + 1], shape=[-1, 2])");
}

TEST(WrongProgram, ChannelsOfAnImageOfAnotherFilter) {
    EXPECT_EQ(
        program_message(R"({"inputs": {"x": {"shape": ["n", 3, "h", "w"]}, "f": {"shape": [8, 4, 3, 3]}}, "steps": [
        {"out": "y", "op": "conv2d", "args": {"input": {"ref": "x"}, "weight": {"ref": "f"}}}]})"),
        "size_mismatch: conv2d needs as many input channels as `weight` has, times `groups`, but 3 is not 4\n"
        "  at   y = conv2d(input=[n, 3, h, w], weight=[8, 4, 3, 3])");
}

TEST(WrongProgram, AWindowLongerThanWhatItSlidesOver) {
    EXPECT_EQ(
        program_message(
            R"({"symbols": {"l": {"min": 1}}, "inputs": {"x": {"shape": ["n", 2, "l"]}, "f": {"shape": [4, 2, "l + 1"]}}, "steps": [
        {"out": "y", "op": "conv1d", "args": {"input": {"ref": "x"}, "weight": {"ref": "f"}}}]})"),
        "kernel_too_large: conv1d needs a window no longer than the padded input, but l + 1 is more than l\n"
        "  at   y = conv1d(input=[n, 2, l], weight=[4, 2, l + 1])");
}

TEST(WrongProgram, ARangePastTheEnd) {
    EXPECT_EQ(program_message(R"({"inputs": {"x": {"shape": ["n"]}}, "steps": [
        {"out": "y", "op": "narrow", "args": {"input": {"ref": "x"}, "dim": 0, "start": 1, "length": {"expr": "n"}}}]})"),
              "index_out_of_range: narrow needs a range that ends inside the dim, but n + 1 is more than n\n"
              "  at   y = narrow(dim=0, input=[n], length=n, start=1)");
}

TEST(WrongProgram, ALayerBehindAnotherOfOtherWidth) {
    EXPECT_EQ(program_message(R"({"inputs": {"x": {"shape": ["b", 16]}, "w": {"shape": [10, 9]}}, "steps": [
        {"out": "a", "op": "glu", "args": {"input": {"ref": "x"}}},
        {"out": "y", "op": "linear", "args": {"input": {"ref": "a"}, "weight": {"ref": "w"}}}]})"),
              "size_mismatch: linear needs the last dims of `input` and `weight` to be equal, but 8 is not 9\n"
              "  at   y = linear(input=[b, 8], weight=[10, 9])");
}

TEST(WrongProgram, ConditionsThatClashOnlyTogether) {
    EXPECT_EQ(program_message(R"({"inputs": {"x": {"shape": ["n"]}}, "steps": [
        {"out": "a", "op": "narrow", "args": {"input": {"ref": "x"}, "dim": 0, "start": 0, "length": 9}},
        {"out": "b", "op": "expand", "args": {"input": {"ref": "x"}, "size": [4]}}]})"),
              "size_mismatch: expand `b` needs dim 0 of the result to be that of `input`, or that to be 1: 4 == n or n "
              "== 1, which cannot hold with what comes before");
}

TEST(WrongProgram, AStepThatIsNone) {
    EXPECT_EQ(program_message(R"({"inputs": {"image": {"shape": ["n", 3]}}, "steps": [
        {"out": "y", "op": "relu", "args": {"input": {"ref": "imag"}}}]})"),
              "call: relu `y` refers to `imag`, which no input or earlier step is\n"
              "  fix  did you mean `image`?");
}

TEST(ShapeRefusal, ASizeWithoutAValueConcernsItsWitnessAlone) {
    const Json answer =
        answer_cases(nlohmann::ordered_json::parse(R"({"inputs": {"x": {"shape": ["n", "m"]}}, "steps": [
        {"out": "y", "op": "relu", "args": {"input": {"ref": "x"}}}], "witnesses": [{"bind": {"n": 2}},
        {"bind": {"n": 2, "m": -1}}, {"bind": {"n": 2, "m": 3}}]})"))[0];
    EXPECT_EQ(answer["witnesses"][0]["message"], "`m` has no value\n  fix  give one for each size");
    EXPECT_EQ(answer["witnesses"][1]["message"], "m = -1 is outside the range of `m`\n  fix  give 0 or more");
    EXPECT_EQ(answer["witnesses"][2]["shapes"], Json::parse("[[2, 3]]"));
}

TEST(ShapeRefusal, AMaskAsAnIndex) {
    EXPECT_EQ(message("index", R"({"input": {"shape": [5]}, "indices": [{"shape": [5], "dtype": "bool"}]})"),
              "dtype: index: index 0 is a mask, and how many places it chooses is known to data alone\n"
              "  at   index(indices=[bool[5]], input=[5])\n"
              "  fix  find the places with nonzero_static, whose `size` says how many, and index with them");
}

TEST(ShapeRefusal, HostileValuesAreRefusedAndNeverEndTheProgram) {
    const char* const values[] = {"[]",
                                  "7",
                                  "null",
                                  R"({"input": 18446744073709551615})",
                                  R"({"input": {"shape": "2, 3"}})",
                                  R"({"input": {"shape": [1e300]}})",
                                  R"({"input": {"shape": [9223372036854775807]}})",
                                  R"({"input": {"shape": [-9223372036854775808]}})",
                                  R"({"input": {"shape": ["n +"]}})",
                                  R"({"input": {"ref": "x"}})",
                                  R"({"input": {"shape": [2], "dtype": 3}})",
                                  R"({"input": {"shape": [2], "stride": []}})",
                                  R"({"input": [[[[[[2]]]]]]})"};
    for (const char* value : values) EXPECT_NE(message("relu", value).find(": "), std::string::npos) << value;
    const Json odd[] = {Json(7), Json::array({1, "x", nullptr}), Json::object(), Json::object({{"cases", 3}}),
                        Json("x")};
    for (const Json& document : odd) EXPECT_NO_THROW(answer_cases(document)) << document.dump();
}

}  // namespace
}  // namespace halogen
