// Exported generators, compiled by plain Halide, against Halogen's own kernels: the same values.

#include "generators/run/builtin.h"
#include "generators/run/executor.h"
#include "generators/run/verify.h"
#include "schedules/export/generator.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/recipes/recipe.h"
#include "schedules/variants/forms.h"
#include "schedules/variants/variants.h"

#include "Halide.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace halogen {
namespace {

/// A view of a tensor as Halide sees it: dims from the innermost.
Halide::Buffer<> view(HostTensor& tensor, const Halide::Type& type) {
    std::vector<halide_dimension_t> shape;
    for (int d = tensor.rank(); d-- > 0;)
        shape.emplace_back(0, static_cast<int>(tensor.extents()[d]), static_cast<int>(tensor.strides()[d]));
    return Halide::Buffer<>(type, tensor.data(), tensor.rank(), shape.data());
}

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The outputs of the exported generator `name`.
Tensors run_exported(const std::string& name, const Leg& leg, CallData& data, Tensors outputs) {
    const Halide::Target target = Halide::Target(leg.halide_target).with_feature(Halide::Target::JIT);
    auto generator = Halide::Internal::GeneratorRegistry::create(name, Halide::GeneratorContext(target));
    EXPECT_NE(generator, nullptr) << name;
    Halide::Pipeline pipeline = generator->build_pipeline();
    for (const auto& argument : generator->arginfos()) {
        if (argument.dir == Halide::Internal::ArgInfoDirection::Output) continue;
        Halide::Parameter parameter = generator->input_parameter(argument.name).at(0);
        if (argument.kind == Halide::Internal::ArgInfoKind::Scalar) {
            const auto size = data.numbers.sizes.find(argument.name);
            if (size != data.numbers.sizes.end())
                parameter.set_scalar<int>(static_cast<int>(size->second.constant().value()));
            else if (parameter.type() == Halide::Float(32))
                parameter.set_scalar<float>(static_cast<float>(std::get<double>(data.scalars.at(argument.name))));
        } else {
            parameter.set_buffer(view(data.inputs.at(argument.name), argument.types.at(0)));
        }
    }
    std::vector<Halide::Buffer<>> buffers;
    for (const auto& argument : generator->arginfos())
        if (argument.dir == Halide::Internal::ArgInfoDirection::Output)
            buffers.push_back(view(outputs.at(argument.name), argument.types.at(0)));
    pipeline.realize(Halide::Realization(buffers), target);
    return outputs;
}

CallData random_call(const Kernel& kernel, const std::vector<std::string>& sizes) {
    Options options;
    options.set = sizes;
    options.random = 3;
    return prepare_call(kernel, options, false);
}

struct Case {
    const char* kernel;
    std::vector<std::vector<std::string>> sizes;
    const char* history = "";     // a file; the recipe's where there is none
    bool in_other_order = false;  // Halogen adds up by vectors or by halves of them, a generator one by one
};
// NOLINTNEXTLINE(readability-identifier-naming): by this name GoogleTest finds it
void PrintTo(const Case& c, std::ostream* out) { *out << c.kernel; }

class Exported : public testing::TestWithParam<Case> {};

TEST_P(Exported, GeneratorGivesTheValuesOfTheKernel) {
    const Kernel kernel = parse(std::string(find_builtin(GetParam().kernel)->text)).value().kernels.front();
    const Leg& leg = *find_leg("sse41");  // the one the generators were exported for
    std::optional<History> history;
    if (*GetParam().history) history = parse_history(read_text(GetParam().history)).value();
    const Solution open = solve_open(kernel);
    const Variant any = variants_of(kernel, open, leg).back();
    const Kernel exported = history ? kernel : form_of(kernel, open, any).kernel;
    const Executor executor(exported, leg, {}, history ? &*history : nullptr);
    for (const std::vector<std::string>& sizes : GetParam().sizes) {
        CallData data = random_call(kernel, sizes);
        Tensors expected = executor.make_outputs(data);
        executor.prepare(data, expected)();
        const Tensors values = run_exported(GetParam().kernel, leg, data, executor.make_outputs(data));
        if (GetParam().in_other_order) {
            verify(kernel, data, values);
            continue;
        }
        for (const auto& [name, tensor] : expected)
            EXPECT_TRUE(std::ranges::equal(values.at(name).storage(), tensor.storage()))
                << name << " at " << testing::PrintToString(sizes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Exported,
    testing::Values(
        Case{"conv2d",
             {{"N=1", "H=9", "W=12", "C=3", "R=3", "S=3", "K=17"},
              {"N=2", "H=6", "W=5", "C=130", "R=1", "S=1", "K=8"},
              {"N=1", "H=4", "W=4", "C=1", "R=3", "S=3", "K=1"}}},
        Case{"cumsum", {{"B=3", "N=33"}, {"B=1", "N=1"}, {"B=70", "N=8"}}, "", true},
        Case{"gaussian_blur", {{"H=20", "W=37"}, {"H=1", "W=1"}}, "", true}, Case{"histogram", {{"N=1000"}, {"N=1"}}},
        Case{"matmul", {{"M=9", "N=19", "K=3"}, {"M=1", "N=1", "K=1"}, {"M=8", "N=16", "K=5"}}, HALOGEN_PARTS},
        Case{"softmax", {{"B=5", "N=100"}, {"B=1", "N=1"}, {"B=33", "N=17"}}, "", true}),
    [](const auto& test) { return std::string(test.param.kernel); });

TEST(Export, EveryBuiltInKernelHasAGenerator) {
    for (const BuiltinKernel& builtin : builtin_kernels()) {
        const Kernel kernel = parse(std::string(builtin.text)).value().kernels.front();
        const Solution open = solve_open(kernel);
        for (const Leg& leg : all_legs()) {
            const History history = titled(recipe(kernel, open, machine_of(leg)), kernel, leg);
            const auto text = export_generator(kernel, open, history);
            ASSERT_TRUE(text) << builtin.name << ": " << text.error().what;
            EXPECT_THAT(text.value(), testing::HasSubstr("HALIDE_REGISTER_GENERATOR("));
            EXPECT_EQ(export_generator(kernel, open, history).value(), text.value()) << builtin.name;
        }
    }
}

std::string exported(const std::string& kernel_text, const std::string& steps) {
    const Kernel kernel = parse(kernel_text).value().kernels.front();
    const auto text = export_generator(kernel, solve_open(kernel), parse_history(steps).value());
    return text ? text.value() : text.error().what;
}

TEST(Export, WritesOneHalideCallAStep) {
    const std::string text = exported("kernel scale(X: f32[H, W], a: f32) -> Y: f32 { Y[i, j] = a * X[i, j] }",
                                      "Y.0 split j -> jo, ji by 8 tail guard\nY.0 reorder ji, i, jo\nY.0 vectorize ji\n"
                                      "Y.0 specialize when W >= 64\n  Y.0 parallel jo\n");
    EXPECT_THAT(text, testing::HasSubstr("    Input<Buffer<float, 2>> X{\"X\"};\n    Input<float> a{\"a\"};\n"
                                         "    Output<Buffer<float, 2>> Y{\"Y\"};\n"));
    EXPECT_THAT(text, testing::HasSubstr("        // Y[i, j] = a * X[i, j]\n        Y_value(j, i) = a * X(j, i);\n"));
    EXPECT_THAT(text, testing::HasSubstr("        Y_func.split(j, jo, ji, 8, TailStrategy::GuardWithIf);\n"
                                         "        Y_func.reorder(ji, i, jo);\n"
                                         "        Y_func.vectorize(ji);\n"
                                         "        {  // where W >= 64\n"
                                         "            Stage Y_case = Y_func.specialize(X.dim(0).extent() >= 64);\n"
                                         "            Y_case.parallel(jo);\n"
                                         "        }\n"));
}

TEST(Export, KeepsClearOfWordsOfCppAndHalide) {
    const std::string text = exported("kernel main(Func: f32[N]) -> Expr: f32 { Expr[int] = Func[int] + 1 }", "");
    EXPECT_THAT(text, testing::HasSubstr("Input<Buffer<float, 1>> Func_2{\"Func_2\"};"));
    EXPECT_THAT(text, testing::HasSubstr("Var int_2(\"int\")"));
    EXPECT_THAT(text, testing::HasSubstr("Expr_value(int_2) = Func_2(int_2) + Expr(1.0f);"));
}

TEST(Export, RefusesAStepThatNamesNoLoop) {
    EXPECT_EQ(exported("kernel copy(X: f32[N]) -> Y: f32 { Y[i] = X[i] }", "Y.0 vectorize q\n"),
              "step `Y.0 vectorize q`: there is no loop `q` in `Y.0`");
}

}  // namespace
}  // namespace halogen
