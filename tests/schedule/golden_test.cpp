// The history and the loop nest of every built-in kernel, as `halogen schedule` prints them, beside the golden file that was
// looked at when it was written. A change of a recipe shows here what it does to each kernel.

#include "generators/run/builtin.h"
#include "tests/driver/program.h"

#include <string>

namespace halogen {
namespace {

const std::string goldens = HALOGEN_GOLDENS;

class Golden : public ProgramTest, public testing::WithParamInterface<BuiltinKernel> {};

TEST_P(Golden, HistoryAndLoopNestAreThoseOfTheGoldenFile) {
    const std::string name(GetParam().name);
    const Outcome printed = halogen("schedule " + name + " --leg avx2");
    ASSERT_EQ(printed.exit_code, 0) << printed.err;
    EXPECT_TRUE(printed.out == contents(goldens + "/" + name + ".txt"))
        << "tests/golden/" << name << ".txt is missing or differs from `halogen schedule " << name << " --leg avx2`;\n"
        << "if the change is meant: cmake --build --preset dev --target update_goldens, and look at git diff "
           "tests/golden";
}

INSTANTIATE_TEST_SUITE_P(Builtin, Golden, testing::ValuesIn(builtin_kernels()),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

TEST(Goldens, ThereIsNoneWithoutAKernel) {
    for (const auto& file : std::filesystem::directory_iterator(goldens))
        EXPECT_TRUE(find_builtin(file.path().stem().string())) << file.path();
}

}  // namespace
}  // namespace halogen
