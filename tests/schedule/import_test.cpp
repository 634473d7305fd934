// What Halide's autoschedulers decide, as histories that are right at sizes they were not made for.

#include "tests/driver/program.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using testing::HasSubstr;

struct Case {
    const char* kernel;
    const char* likely;              // the sizes it is scheduled for
    std::vector<const char*> other;  // those it runs at
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.kernel; }

class Import : public ProgramTest, public testing::WithParamInterface<std::tuple<const char*, Case>> {};

TEST_P(Import, GivesAHistoryOfGuardedStepsThatIsRightAtOtherSizes) {
    const auto& [scheduler, c] = GetParam();
    const std::string kernel = std::string(c.kernel) + " --leg sse41 ";
    const Outcome made =
        halogen("schedule " + kernel + "--import " + scheduler + " --set " + c.likely + " --save h.txt");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string history = contents("h.txt");
    EXPECT_THAT(history, HasSubstr(" from import\n"));
    EXPECT_THAT(history, testing::Not(testing::ContainsRegex("tail (shift_inwards|round_up|exact)")));
    for (const char* sizes : c.other) {
        const Outcome o = halogen("run " + kernel + "--set " + sizes + " --random 1 --verify --history h.txt");
        EXPECT_THAT(o.out, HasSubstr("verified against the interpreter")) << sizes << "\n" << o.err << history;
    }
    EXPECT_EQ(halogen("schedule " + kernel + "--history h.txt --save again.txt").err, "");
    EXPECT_EQ(contents("again.txt"), history);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Import,
    testing::Combine(testing::Values("mullapudi2016", "adams2019"),
                     testing::Values(Case{"matmul", "M=64 N=64 K=64", {"M=37 N=53 K=19", "M=1 N=1 K=1", "M=8 N=9 K=0"}},
                                     Case{"gaussian_blur", "H=256 W=256", {"H=51 W=67", "H=1 W=1"}},
                                     Case{"softmax", "B=128 N=256", {"B=12 N=101", "B=1 N=1", "B=33 N=17"}},
                                     Case{"sum_last", "M=256 N=256", {"M=7 N=67", "M=1 N=1"}},
                                     Case{"transpose", "M=256 N=256", {"M=7 N=67", "M=1 N=1"}})),
    [](const auto& test) { return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param).kernel; });

using ImportVerb = ProgramTest;

TEST_F(ImportVerb, TellsWhichAutoschedulersThereAre) {
    EXPECT_EQ(halogen("schedule matmul --import magic --set M=8 N=8 K=8").err,
              "halogen: magic gave no schedule: there is no autoscheduler `magic`\n"
              "  fix  give other sizes with --set, or choose among adams2019, li2018, mullapudi2016\n");
}

}  // namespace
}  // namespace halogen
