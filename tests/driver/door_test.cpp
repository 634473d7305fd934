// The front door: help, versions, words misspelt, and `compile` of whole files, interrupted and in error.

#include "generators/run/progress.h"
#include "tests/driver/program.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>

namespace halogen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class FrontDoor : public ProgramTest {
protected:
    /// Expects wrong usage, told in this text.
    static void expect_usage(const std::string& arguments, const std::string& text) {
        const Outcome o = halogen(arguments);
        EXPECT_EQ(o.err, text);
        EXPECT_EQ(o.exit_code, 2);
        EXPECT_EQ(o.out, "");
    }
};

TEST_F(FrontDoor, TellsItsVersionAndHalides) {
    EXPECT_THAT(halogen("--version").out, MatchesRegex("halogen [0-9]+\\.[0-9]+\\.[0-9]+ \\(Halide 21\\.0\\.0\\)\n"));
    EXPECT_EQ(halogen("-V").out, halogen("--version").out);
}

TEST_F(FrontDoor, HelpIsAVerb) {
    const Outcome all = halogen("help");
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_EQ(all.out, halogen("--help").out);
    for (const char* verb : {"solve", "explain", "compile", "run", "bench", "schedule", "tune", "kernels"}) {
        EXPECT_THAT(all.out, HasSubstr("\n  " + std::string(verb)));
        EXPECT_EQ(halogen("help " + std::string(verb)).out, halogen(std::string(verb) + " --help").out);
    }
}

TEST_F(FrontDoor, AMisspeltVerbGetsTheNearest) {
    expect_usage("slove matmul",
                 "halogen: there is no verb `slove`\n  fix  did you mean `solve`? `halogen help` lists the verbs\n");
    expect_usage(
        "help complie",
        "halogen: there is no verb `complie`\n  fix  did you mean `compile`? `halogen help` lists the verbs\n");
    expect_usage("photograph", "halogen: there is no verb `photograph`\n  fix  `halogen help` lists the verbs\n");
}

TEST_F(FrontDoor, AMissingVerbIsAskedFor) {
    expect_usage("", "halogen: no verb is given\n  fix  `halogen help` lists the verbs\n");
    for (const std::string first : {"--slove", "matmul", "mine.hgn", "-version"})
        expect_usage(first, "halogen: no verb is given before `" + first +
                                "`\n  fix  put one first, such as `halogen solve`; `halogen help` lists them\n");
    expect_usage("-e 'C[i] = A[i]'",
                 "halogen: no verb is given before `-e`\n  fix  put one first, such as `halogen solve`; `halogen help` "
                 "lists them\n");
}

TEST_F(FrontDoor, AMisspeltOptionGetsTheNearest) {
    expect_usage(
        "run matmul --sett N=1",
        "halogen: `run` takes no option `--sett`\n  fix  did you mean `--set`? `halogen help run` lists what it "
        "takes\n");
    expect_usage("kernels --colour",
                 "halogen: `kernels` takes no option `--colour`\n  fix  `halogen help kernels` lists what it takes\n");
    expect_usage(
        "solve matmul conv2d",
        "halogen: `solve` takes no further argument `conv2d`\n  fix  `halogen help solve` lists what it takes\n");
}

TEST_F(FrontDoor, RanksAboveSixteenAreRefusedAtOnce) {
    const std::string access = "X[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q]";
    const Outcome o = halogen("solve -e 'kernel k(X: f32) -> Y: f32 { Y[a] += " + access + " }'");
    EXPECT_EQ(o.exit_code, 1);
    const Outcome bare = halogen("solve -e 'Y[a] += " + access + "'");
    EXPECT_EQ(bare.err,
              "-e:1:9: `X` has 17 dims; a tensor has at most 16\n"
              "  at   Y[a] += " +
                  access +
                  "\n"
                  "  fix  fuse some of its dims: a dim of extent N*M holds what two of extents N and M do\n");
    EXPECT_EQ(bare.exit_code, 1);
}

const char* const two =
    "kernel twice(X: f32[N]) -> Y: f32 { Y[i] = 2*X[i] }\n"
    "kernel sums(X: f32[M, N]) -> S: f32 { S[m] += X[m, n] }\n";

TEST_F(FrontDoor, CompileTakesEveryKernelOfAFile) {
    write("mine.hgn", two);
    const Outcome o = halogen("compile mine.hgn -o out --target sse41 --no-runtime");
    EXPECT_EQ(o.exit_code, 0);
    EXPECT_THAT(o.err,
                MatchesRegex("(halogen: compiling `(twice|sums)` for sse41, [12] of 2\n)*"));  // after two seconds
    EXPECT_EQ(o.out,
              "out/libmine.a\nout/twice.h\nout/twice.json\nout/sums.h\nout/sums.json\n  leg sse41: "
              "x86-64-linux-sse41-no_runtime-no_bounds_query-user_context\n");
    std::filesystem::current_path("out");
    EXPECT_THAT(files(), ElementsAre("libmine.a", "sums.h", "sums.json", "twice.h", "twice.json"));
    std::filesystem::current_path("..");
}

TEST_F(FrontDoor, CompileOfSeveralKernelsIsNamedAndChosen) {
    write("mine.hgn", two);
    EXPECT_EQ(halogen("compile mine.hgn -o out --target sse41 --no-runtime --name all --estimate M=5 --json").out,
              R"({"status":"ok","library":"out/liball.a","kernels":[)"
              R"({"name":"twice","header":"out/twice.h","manifest":"out/twice.json"},)"
              R"({"name":"sums","header":"out/sums.h","manifest":"out/sums.json"}],)"
              R"("legs":[{"name":"sse41","target":"x86-64-linux-sse41-no_runtime-no_bounds_query-user_context"}]})"
              "\n");
    EXPECT_THAT(halogen("compile mine.hgn -o one --target sse41 --no-runtime --kernel sums").out,
                StartsWith("one/libsums.a\none/sums.h\none/sums.json\n"));
    write("h.txt", "");
    expect_usage(
        "compile mine.hgn -o none --history h.txt",
        "halogen: a history is for one kernel, and there are several\n  fix  choose the kernel with --kernel\n");
    EXPECT_FALSE(std::filesystem::exists("none"));
}

TEST_F(FrontDoor, CompileTellsAllErrorsAtOnceAndWritesNothing) {
    write("bad.hgn",
          "kernel a(X: f32[N]) -> Y: f32 { Y[i] = Z[i] }\n"
          "kernel b(X: f32[N]) -> Y: f32 { Y[i] = 2*X[i] }\n"
          "kernel c(X: f32[N]) -> Y: f32 { Y[i] = X[i\n");
    const Outcome broken = halogen("compile bad.hgn -o out");
    EXPECT_EQ(broken.exit_code, 1);
    EXPECT_THAT(broken.err, HasSubstr("bad.hgn:3:41: "));  // brackets are matched before all else
    write("bad.hgn",
          "kernel a(X: f32[N]) -> Y: f32 { Y[i] = Z[i] }\n"
          "kernel b(X: f32[N]) -> Y: f32 { Y[i] = 2*X[i] }\n"
          "kernel c(X: f32[N]) -> Y: f32 { Y[i] = X[i] X[i] }\n");
    const Outcome texts = halogen("compile bad.hgn -o out");
    EXPECT_EQ(texts.exit_code, 1);
    EXPECT_EQ(texts.err,
              "bad.hgn:1:40: there is no tensor `Z`\n"
              "  at   Y[i] = Z[i]\n"
              "  fix  declare `Z` as a parameter, or write it in an equation before\n"
              "bad.hgn:3:45: expected an operator or the end of the equation, found `X`\n"
              "  at   kernel c(X: f32[N]) -> Y: f32 { Y[i] = X[i] X[i] }\n"
              "  fix  end the equation with a new line or `;`, and write `*` between factors\n");
    write("sizes.hgn",
          "kernel a(X: f32[3], W: f32[4]) -> Y: f32 { Y[i] = X[i] * W[i] }\n"
          "kernel b(X: f32[N]) -> Y: f32 { Y[i] = 2*X[i] }\n"
          "kernel c(X: f32[3]) -> Y: f32[4] { Y[i] = X[i] }\n");
    const Outcome sizes = halogen("compile sizes.hgn -o out --json");
    EXPECT_EQ(sizes.exit_code, 1);
    EXPECT_THAT(sizes.err, HasSubstr("sizes.hgn:1:"));
    EXPECT_THAT(sizes.err, HasSubstr("sizes.hgn:3:"));
    EXPECT_THAT(sizes.out, StartsWith(R"({"status":"error","error":"contradictory","message":"sizes.hgn:1:)"));
    EXPECT_THAT(sizes.out, HasSubstr(R"("errors":[{"error":"contradictory","message":"sizes.hgn:1:)"));
    EXPECT_FALSE(std::filesystem::exists("out"));
}

/// The program started in the background, its output in files.
pid_t start(const std::vector<std::string>& arguments) {
    std::vector<char*> argv{const_cast<char*>(HALOGEN_PROGRAM)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    std::signal(SIGINT, SIG_DFL);
    dup2(open("stdout.txt", O_WRONLY | O_CREAT, 0666), STDOUT_FILENO);
    dup2(open("stderr.txt", O_WRONLY | O_CREAT, 0666), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
}

/// True when a folder of `compile` stands in `folder` that holds an object.
bool has_begun(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored))
        if (entry.path().extension() == ".o") return true;
    return false;
}

TEST_F(FrontDoor, AnInterruptedCompileLeavesNothingBehind) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const pid_t child = start({"compile", "softmax", "-o", "made/deep"});
        for (int tries = 0; tries < 6000 && !has_begun("made"); tries++)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_TRUE(has_begun("made"));
        kill(child, signal);
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
        EXPECT_EQ(contents("stdout.txt"), "");
        EXPECT_THAT(files(), ElementsAre("stderr.txt", "stdout.txt"));
    }
}

TEST(Progress, SaysWhatIsDoneAfterTwoSeconds) {
    testing::internal::CaptureStderr();
    {
        Progress silent(true), soon(false);
        silent.at("nobody hears this");
        soon.at("done before two seconds");
    }
    {
        Progress progress(false);
        progress.at("compiling `a` for avx2, 1 of 2");
        std::this_thread::sleep_for(std::chrono::milliseconds(2300));
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "halogen: compiling `a` for avx2, 1 of 2\n");
}

}  // namespace
}  // namespace halogen
