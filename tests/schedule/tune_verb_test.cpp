// halogen tune: searches, keeps records, goes on after a stop; compile and the others use what it found.

#include "tests/driver/program.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using testing::HasSubstr;

class TuneVerb : public ProgramTest {
protected:
    /// The key in the header of a history.
    static std::string key(const std::string& history) {
        const std::size_t at = history.find("\nkey ") + 5;
        return history.substr(at, history.find('\n', at) - at);
    }
};

const std::string kernel = "-e 'kernel turn(X: f32[H, W]) -> Y: f32 { Y[i, j] = 2*X[j, i] }'";

TEST_F(TuneVerb, SearchesAndSavesAHistoryThatRunVerifies) {
    const Outcome o = halogen("tune " + kernel +
                              " --set H=60 W=50 --seconds 3 --leg sse41 --variants 1 --records r --save h.txt --json");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("tune turn: 1 tried, best "));
    EXPECT_THAT(o.out, HasSubstr("{\"status\":\"ok\",\"kernel\":\"turn\",\"leg\":\"sse41\",\"threads\":1,\"tried\":"));
    EXPECT_THAT(contents("h.txt"), HasSubstr("; Y_side = "));
    const Outcome run = halogen("run " + kernel + " --set H=9 W=70 --random 1 --verify --leg sse41 --history h.txt");
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, HasSubstr("verified against the interpreter: equal"));
}

TEST_F(TuneVerb, GoesOnFromItsJournal) {
    const std::string search = "tune " + kernel + " --set H=60 W=50 --seconds 2 --leg sse41 --records r";
    EXPECT_EQ(halogen(search).exit_code, 0);
    const std::string journal = "r/turn-sse41-H=60-W=50-1.journal", before = contents(journal);
    EXPECT_THAT(before, testing::StartsWith("halogen journal 1\nprogram "));
    const Outcome again = halogen(search);
    EXPECT_THAT(again.err, HasSubstr("tune turn: goes on after the "));
    EXPECT_THAT(contents(journal), testing::StartsWith(before));
}

TEST_F(TuneVerb, ARecordIsWhatCompileAndHistoryOptionsTake) {
    EXPECT_EQ(halogen("schedule matmul --leg sse41 --knob C_rows=2 --save h.txt").err, "");
    std::filesystem::create_directories("r");
    write("r/matmul-sse41.txt",
          "halogen record 1\nprogram " + key(contents("h.txt")) +
              "\nleg sse41\nmachine some\nsizes M=64\nthreads 1\nseed 1\ntried 9\nrecipe_ns 2\nbest_ns 1\nkernel\n"
              "  kernel matmul(A: f32[M, K], B: f32[K, N]) -> C: f32 {\n    C[i, j] += A[i, k]*B[k, j]\n  }\n\n" +
              contents("h.txt"));
    EXPECT_EQ(halogen("run matmul --leg sse41 --set M=7 N=9 K=5 --random 1 --verify --history r/matmul-sse41.txt").err,
              "");
    // On a busy machine a line tells the progress.
    const auto nothing = testing::AnyOf("", "halogen: compiling `matmul` for sse41, 1 of 1\n");
    EXPECT_THAT(halogen("compile matmul -o out --target sse41 --no-runtime --records r").err, nothing);
    EXPECT_THAT(contents("out/matmul.json"), testing::ContainsRegex("registers j, i by 4, [0-9], 2 at "));
    EXPECT_THAT(halogen("compile matmul -o out --target sse41 --no-runtime --records r --estimate M=32").err, nothing);
    EXPECT_THAT(contents("out/matmul.json"), testing::Not(HasSubstr("bound_extent i 2")));
}

TEST_F(TuneVerb, TellsWhatIsWrong) {
    const Outcome nothing = halogen("tune " + kernel + " --seconds 1 --records r");
    EXPECT_EQ(nothing.exit_code, 1);
    EXPECT_THAT(nothing.err, HasSubstr("fix  give"));
    const Outcome none = halogen("tune " + kernel + " --set H=6 W=5 --seconds 0 --leg sse41 --records r");
    EXPECT_EQ(none.err, "halogen: there was no time for even one candidate\n  fix  give more --seconds\n");
    write("file", "");
    EXPECT_EQ(halogen("tune " + kernel + " --set H=6 W=5 --seconds 1 --leg sse41 --records file/r").err,
              "halogen: the folder `file/r` cannot be made: Not a directory\n  fix  name another with --records\n");
    EXPECT_EQ(halogen("compile matmul -o out --records nowhere").err,
              "halogen: the records in `nowhere` cannot be read: No such file or directory\n"
              "  fix  name the folder that `halogen tune --records` wrote to\n");
}

}  // namespace
}  // namespace halogen
