// The texts of the built-in kernels and their manifest.
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace halogen {
namespace {

const std::filesystem::path folder = HALOGEN_GENERATORS;

std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> listed() {
    const std::string manifest = contents(folder / "kernels.cmake");
    const std::regex line("\nhalogen_kernel\\((\\w+)");
    std::vector<std::string> names;
    for (std::sregex_iterator i(manifest.begin(), manifest.end(), line), end; i != end; ++i) names.push_back((*i)[1]);
    return names;
}

Kernel kernel(const std::string& name) {
    return parse(contents(folder / "kernels" / (name + ".hgn"))).value().kernels.at(0);
}

/// The extents of the output as formulas, from what is known.
std::string output(const std::string& name, const Settings& known = {}) {
    const Kernel k = kernel(name);
    const Solution solved = solve(k, known).value();
    std::string text;
    for (const Formula& extent : solved.extents.at(k.outputs().front()->name))
        text += (text.empty() ? "" : ", ") + print(extent);
    return "[" + text + "]";
}

TEST(Kernels, TheManifestListsEveryTextInSortedOrder) {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder / "kernels"))
        if (file.path().extension() == ".hgn") files.push_back(file.path().stem());
    std::sort(files.begin(), files.end());
    EXPECT_EQ(listed(), files);
}

TEST(Kernels, EachTextHoldsTheOneKernelOfItsNameAndPrintsBack) {
    for (const std::string& name : listed()) {
        const auto program = parse(contents(folder / "kernels" / (name + ".hgn")));
        ASSERT_TRUE(program) << format(program.error(), name + ".hgn");
        ASSERT_EQ(program.value().kernels.size(), 1u) << name;
        EXPECT_EQ(program.value().kernels[0].name, name);
        EXPECT_EQ(parse(print(program.value())).value(), program.value()) << name;
    }
}

TEST(Kernels, OutputsFollowFromTheInputs) {
    const std::vector<std::pair<std::string, std::string>> expected = {{"batched_matmul", "[B, M, N]"},
                                                                       {"color_matrix", "[H, W, K]"},
                                                                       {"cumsum", "[B, N]"},
                                                                       {"gather_rows", "[N, D]"},
                                                                       {"gaussian_blur", "[H, W]"},
                                                                       {"gelu_linear", "[M, N]"},
                                                                       {"gemv", "[M]"},
                                                                       {"histogram", "[256]"},
                                                                       {"jacobi2d", "[H, W]"},
                                                                       {"layernorm", "[B, N]"},
                                                                       {"matmul", "[M, N]"},
                                                                       {"matmul_nt", "[M, N]"},
                                                                       {"max_first", "[N]"},
                                                                       {"max_last", "[M]"},
                                                                       {"sobel", "[H, W]"},
                                                                       {"softmax", "[B, N]"},
                                                                       {"sum_first", "[N]"},
                                                                       {"sum_last", "[M]"},
                                                                       {"transpose", "[N, M]"}};
    for (const auto& [name, extents] : expected) EXPECT_EQ(output(name), extents) << name;
}

TEST(Kernels, WindowsSlideAsFarAsTheyFit) {
    const Settings image = {{"N", 2}, {"H", 14}, {"W", 15}, {"C", 3}};
    auto with = [&](Settings more) {
        more.insert(image.begin(), image.end());
        return more;
    };
    // (14 + 2*1 - 2*(3 - 1) - 1)/2 + 1 = 6 and (15 + 2 - 4 - 1)/2 + 1 = 7
    const Settings conv = with({{"R", 3}, {"S", 3}, {"K", 5}, {"T", 2}, {"D", 2}, {"P", 1}});
    EXPECT_EQ(output("conv2d", conv), "[2, 6, 7, 5]");
    EXPECT_EQ(output("conv2d_u8", conv), "[2, 6, 7, 5]");
    EXPECT_EQ(output("depthwise_conv2d", with({{"R", 3}, {"S", 3}, {"T", 2}, {"D", 2}, {"P", 1}})), "[2, 6, 7, 3]");
    EXPECT_EQ(output("conv1d", {{"N", 2}, {"W", 15}, {"C", 3}, {"R", 3}, {"K", 5}, {"T", 2}, {"D", 2}, {"P", 1}}),
              "[2, 7, 5]");
    // windows of 2 x 2, stride 2: (14 - 2)/2 + 1 = 7 and (15 - 2)/2 + 1 = 7, one column left over
    EXPECT_EQ(output("max_pool2d", image), "[2, 7, 7, 3]");
    EXPECT_EQ(output("avg_pool2d", image), "[2, 7, 7, 3]");
}

}  // namespace
}  // namespace halogen
