// The `halogen` program from outside: exit codes, files, and every error text in full.

#include "tests/driver/program.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Program : public ProgramTest {};

const std::string matmul = "-e 'C[i,j] += A[i,k]*B[k,j]'";

TEST_F(Program, RunsABareEquationOnFiles) {
    write_npy("a.npy", Type::f32, {2, 2});  // 0 1; 2 3
    write_npy("b.npy", Type::f32, {2, 2});
    const Outcome o = halogen("run " + matmul + " --in A=a.npy --in B=b.npy --out C=c.npy");
    EXPECT_EQ(o.err, "");
    EXPECT_EQ(o.exit_code, 0);
    EXPECT_EQ(o.out, "C: f32[2, 2] -> c.npy\n");
    const HostTensor c = parse_npy(contents("c.npy"), "c.npy").value();
    EXPECT_EQ(c.real(0), 2);   // 0*0 + 1*2
    EXPECT_EQ(c.real(3), 11);  // 2*1 + 3*3
}

TEST_F(Program, ABuiltInKernelIsNamedWithoutAFile) {
    write_npy("x.npy", Type::f32, {2, 3});
    EXPECT_EQ(halogen("run transpose --in X=x.npy").out, "Y: f32[3, 2] = 0 3 1 4 2 5\n");
    EXPECT_EQ(halogen("run --kernel sum_last --in X=x.npy").out, "Y: f32[2] = 3 12\n");
}

TEST_F(Program, OptionsTakeSeveralAssignments) {
    write_npy("a.npy", Type::f32, {2, 2});
    write_npy("b.npy", Type::f32, {2, 2});
    EXPECT_EQ(halogen("run --in A=a.npy B=b.npy " + matmul).out, "C: f32[2, 2] = 2 3 6 11\n");
}

TEST_F(Program, JsonIsOneDocument) {
    write_npy("x.npy", Type::f32, {2, 3});
    EXPECT_EQ(halogen("run transpose --in X=x.npy --out Y=y.npy --json").out,
              "{\"outputs\":{\"Y\":{\"extents\":[3,2],\"file\":\"y.npy\",\"type\":\"f32\"}},\"status\":\"ok\"}\n");
}

TEST_F(Program, RandomInputsAreTheSameForTheSameSeed) {
    EXPECT_EQ(halogen("run matmul --random 3 --set M=5 N=4 K=3 --out C=a.npy --verify").exit_code, 0);
    EXPECT_EQ(halogen("run matmul --random 3 --set M=5 N=4 K=3 --out C=b.npy --threads 2").exit_code, 0);
    EXPECT_EQ(halogen("run matmul --random 4 --set M=5 N=4 K=3 --out C=c.npy").exit_code, 0);
    EXPECT_EQ(contents("a.npy"), contents("b.npy"));
    EXPECT_NE(contents("a.npy"), contents("c.npy"));
}

TEST_F(Program, InputsDecideSizesThatOtherNumbersLeaveOpen) {  // H = 7 alone would have its least E: 9 x 3 x 3
    EXPECT_EQ(halogen("run -e 'Y[i, j, k] = X[i, j, k]' --random 1 --set X.0=11 X.1=3 X.2=5 --out Y=e.npy").exit_code,
              0);
    write("k.hgn",
          "kernel k(E: f32[_, 3, _]) -> (J: f32[H], O: f32) { J[m] += 1; O[r, y] += J[b] + E[b + 2, r, max(r, y)] }");
    const auto run = halogen("run k.hgn --in E=e.npy --set H=7 --out O=o.npy --verify");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("O: f32[3, 5]"));
}

TEST_F(Program, NumbersDecideSizesThatNoFormulaGives) {
    write_npy("x.npy", Type::f32, {2, 3});
    EXPECT_EQ(halogen("run -e 'Y[m, j] = X[i16(m), j]' --in X=x.npy").out, "Y: f32[2, 3] = 0 1 2 3 4 5\n");
    const std::string text = "kernel k(X: f32[N]) -> Y: f32 { tmp Z: f32[N, M]; Z[i, j] = X[i]; Y[i] += Z[i, j] }";
    EXPECT_EQ(halogen("run -e '" + text + "' --set N=3 M=2 --random 1 --verify").exit_code, 0);  // M: of Z alone
}

TEST_F(Program, HalidesWarningsAreNotShown) {  // of f16: "emulated, which is likely to slow down the performance"
    const auto run =
        halogen("run -e 'kernel k(X: f16[N]) -> Y: f16 { Y[i] = 2*X[i] }' --set N=5 --random 1 --leg sse41");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit_code, 0);
}

TEST_F(Program, PicturesComeAndGo) {
    write("k.hgn", "kernel invert(X: u8[H, W, C]) -> Y: u8 { Y[y, x, c] = 255 - X[y, x, c] }");
    EXPECT_EQ(halogen("run k.hgn --random 1 --set H=4 W=5 C=3 --out Y=a.png").err, "");
    EXPECT_EQ(halogen("run k.hgn --in X=a.png --out Y=b.png").err, "");
    EXPECT_EQ(halogen("run k.hgn --in X=b.png --out Y=c.png").err, "");
    EXPECT_EQ(contents("a.png"), contents("c.png"));
}

TEST_F(Program, UsageErrorsExitWith2) {
    EXPECT_EQ(halogen("").exit_code, 2);
    EXPECT_EQ(halogen("fly").exit_code, 2);
    EXPECT_EQ(halogen("run").exit_code, 2);
    EXPECT_EQ(halogen("run").err,
              "halogen: no kernel is given\n  fix  name a .hgn file or a built-in kernel, or give its text with -e\n");
    EXPECT_EQ(halogen("solve matmul --set N=x").err,
              "halogen: --set `N=x` is not NAME=INTEGER or NAME=?\n  fix  for example N=64\n");
    EXPECT_EQ(halogen("solve matmul --set N").exit_code, 2);
    EXPECT_EQ(halogen("run matmul --threads 0").exit_code, 2);
    EXPECT_EQ(halogen("--help").exit_code, 0);
    EXPECT_EQ(halogen("run --help").exit_code, 0);
}

/// Runs, expects exit code 1, this error text and no file but those named.
#define EXPECT_REFUSED(arguments, text)             \
    do {                                            \
        const auto files_before = files();          \
        const Outcome refused = halogen(arguments); \
        EXPECT_EQ(refused.err, text);               \
        EXPECT_EQ(refused.exit_code, 1);            \
        EXPECT_EQ(refused.out, "");                 \
        EXPECT_EQ(files(), files_before);           \
    } while (false)

TEST_F(Program, SyntaxErrorsHaveAPlace) {
    const Outcome o = halogen("solve -e 'C[i,j] += A[i,k*B[k,j]' --json");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.err, StartsWith("-e:1:"));
    EXPECT_THAT(o.out, StartsWith("{\"status\":\"error\",\"error\":\"syntax\",\"message\":\"-e:1:"));
    EXPECT_THAT(o.out, HasSubstr("\"status\":\"error\""));
}

TEST_F(Program, MissingInputsAreNamed) {
    write_npy("a.npy", Type::f32, {2, 2});
    EXPECT_REFUSED(
        "run " + matmul + " --in A=a.npy --out C=c.npy",
        "halogen: the input `B` is missing\n  fix  give it with --in B=FILE, or fill it with --random SEED\n");
    EXPECT_REFUSED("run " + matmul + " --in Q=a.npy",
                   "halogen: the kernel has no input `Q`\n  fix  its inputs are `A`, `B`\n");
    EXPECT_REFUSED("run transpose --in X=a.npy --out Z=z.npy",
                   "halogen: the kernel has no output `Z`\n  fix  its outputs are `Y`\n");
    EXPECT_REFUSED("run -e 'kernel k(X: f32[N], a: f32) -> Y: f32 { Y[i] = a*X[i] }' --in X=a.npy --random 1",
                   "halogen: `X` has 1 dim, but `a.npy` holds f32[2, 2]\n  fix  reshape the file's array\n");
}

TEST_F(Program, ScalarsAreNeeded) {
    write_npy("x.npy", Type::f32, {2});
    const std::string scale = "run -e 'kernel k(X: f32[N], a: f32) -> Y: f32 { Y[i] = a*X[i] }' --in X=x.npy";
    EXPECT_REFUSED(scale, "halogen: the scalar `a` has no value\n  fix  give it with --param a=…\n");
    EXPECT_REFUSED(
        scale + " --param a=two",
        "halogen: --param a=two: `a` is f32, and this is no such number\n  fix  give a number, such as 0.5\n");
    EXPECT_REFUSED(scale + " --param b=2",
                   "halogen: the kernel has no scalar `b`\n  fix  its scalars are `a`; sizes are given with --set\n");
    EXPECT_EQ(halogen(scale + " --param a=2").out, "Y: f32[2] = 0 2\n");
}

TEST_F(Program, TypesMustMatchExactly) {
    write_npy("x.npy", Type::f64, {2, 2});
    EXPECT_REFUSED("run transpose --in X=x.npy --out Y=y.npy",
                   "halogen: `X` is f32, but `x.npy` holds f64\n  fix  convert the file, or declare `X: f64[...]` and "
                   "cast in the equation\n");
}

TEST_F(Program, FilesMustBeThereAndWhole) {
    write("cut.npy", contents("x.npy").substr(0, 20));
    write("text.npy", "hello");
    EXPECT_REFUSED("run transpose --in X=none.npy",
                   "halogen: cannot read `none.npy`: No such file or directory\n  fix  check the path\n");
    EXPECT_REFUSED("run transpose --in X=text.npy",
                   "halogen: `text.npy` is neither a .npy file nor a PNG\n  fix  save the array with numpy.save\n");
    EXPECT_REFUSED("run transpose --in X=.", "halogen: cannot read `.`: it is a folder\n  fix  check the path\n");
    EXPECT_REFUSED("solve none.hgn",
                   "halogen: cannot read `none.hgn`: No such file or directory\n  fix  check the path\n");
    write_npy("x.npy", Type::f32, {2, 2});
    write("cut.npy", contents("x.npy").substr(0, 140));
    EXPECT_REFUSED(
        "run transpose --in X=cut.npy --out Y=y.npy",
        "halogen: `cut.npy` is truncated: 140 bytes of a file of shape (2, 2)\n  fix  copy or save it again\n");
}

TEST_F(Program, OutputsMustBeWritable) {
    write_npy("x.npy", Type::f32, {2, 2});
    EXPECT_REFUSED("run transpose --in X=x.npy --out Y=none/y.npy",
                   "halogen: cannot write `none/y.npy`: No such file or directory\n  fix  name a file in a folder that "
                   "exists and that you may write to\n");
    EXPECT_REFUSED("run transpose --in X=x.npy --out Y=y.png",
                   "halogen: `y.png` would be a PNG of f32; pictures are u8\n  fix  cast in the equation, u8(...), or "
                   "write a .npy file\n");
}

TEST_F(Program, SizesThatClashAreRefused) {
    write_npy("a.npy", Type::f32, {2, 3});
    write_npy("b.npy", Type::f32, {4, 2});
    const Outcome o = halogen("run matmul --in A=a.npy --in B=b.npy --out C=c.npy --json");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.out, HasSubstr("\"error\":\"contradictory\""));
    EXPECT_FALSE(std::filesystem::exists("c.npy"));
}

TEST_F(Program, PositionsFromDataAreChecked) {
    write_npy("x.npy", Type::f32, {3, 2});
    HostTensor i(Type::i32, {3});
    i.set_integer(1, 3);
    write("i.npy", print_npy(i));
    EXPECT_REFUSED("run gather_rows --in X=x.npy --in I=i.npy --out Y=y.npy",
                   "gather_rows.hgn:3:13: `I[n]` is 3 at n = 1, outside [0, 3) of dim 0 of `X`\n"
                   "  at   Y[n, d] = X[I[n], d]\n"
                   "  fix  keep `I[n]` inside [0, 3); check the values of `I`\n");
}

TEST_F(Program, PointsThatMeetAreRefused) {
    HostTensor i(Type::i32, {3});
    write("i.npy", print_npy(i));
    write_npy("w.npy", Type::f32, {3});
    EXPECT_REFUSED(
        "run -e 'kernel k(I: i32[N], W: f32[N]) -> H: f32[4] { H[I[n]] = W[n] }' --in I=i.npy --in W=w.npy --out "
        "H=h.npy",
        "-e:1:47: two points write H[0]; the second is n = 1\n"
        "  at   H[I[n]] = W[n]\n"
        "  fix  combine them with `+=`, `max=` or another operator, or make the positions differ\n");
}

TEST_F(Program, PointsThatAPredicateLeavesAreLookedAtWhenTheKernelRuns) {
    const std::string pairs = "run -e 'kernel k(X: f32[N]) -> Y: f32[N] { Y[i - i%2] = X[i] where ";
    EXPECT_EQ(halogen(pairs + "i%2 == 1 }' --random 1 --set N=8 --verify").exit_code, 0);
    EXPECT_REFUSED(pairs + "i > 2 }' --random 1 --set N=8 --out Y=y.npy",
                   "-e:1:36: two points write Y[4]; the second is i = 5\n"
                   "  at   Y[i - i%2] = X[i] where i > 2\n"
                   "  fix  combine them with `+=`, `max=` or another operator, or make the positions differ\n");
}

TEST_F(Program, LargeTensorsAreRefusedToRun) {
    EXPECT_REFUSED(
        "run transpose --random 1 --set M=65536 N=32768",
        "halogen: `X` has more than 2^31 - 1 elements: [65536, 32768]\n  fix  run the kernel on parts of it\n");
    EXPECT_EQ(halogen("solve transpose --set M=65536 N=32768").exit_code, 0);
    EXPECT_REFUSED("solve matmul --set N=9223372036854775807",
                   "halogen: `N` = 9223372036854775807 is past 2^62\n  fix  give a smaller number\n");
}

TEST_F(Program, UnknownTargetsAndLegsAreRefused) {
    EXPECT_REFUSED("bench matmul --set M=4 N=4 K=4 --leg avx1024",
                   "halogen: there is no leg `avx1024`\n  fix  choose among sse41, avx2, avx512, zen4\n");
    EXPECT_EQ(halogen("compile matmul -o out --target mips").exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists("out/matmul.h"));
}

TEST_F(Program, SizesWithoutANumberAreRefusedToRun) {
    EXPECT_REFUSED("run matmul --random 1 --set M=4",
                   "halogen: `K`, `N` have no value\n  fix  give them with --set, or all inputs with --in\n");
}

TEST_F(Program, KernelsAreListed) {
    EXPECT_THAT(halogen("kernels").out, HasSubstr("matmul             Matrix product C = A B"));
    EXPECT_THAT(halogen("kernels matmul").out, HasSubstr("C[i, j] += A[i, k] * B[k, j]"));
    EXPECT_REFUSED("kernels nothing",
                   "halogen: no kernel `nothing` is built in\n  fix  `halogen kernels` lists them\n");
}

TEST_F(Program, SeveralKernelsInAFileNeedAChoice) {
    write("two.hgn",
          "kernel a(X: f32[N]) -> Y: f32 { Y[i] = X[i] }\nkernel b(X: f32[N]) -> Y: f32 { Y[i] = 2*X[i] }\n");
    write_npy("x.npy", Type::f32, {2});
    EXPECT_REFUSED("run two.hgn --in X=x.npy",
                   "halogen: there are several kernels: `a`, `b`\n  fix  choose one with --kernel\n");
    EXPECT_REFUSED("run two.hgn --kernel c --in X=x.npy",
                   "halogen: there is no kernel `c`\n  fix  choose among `a`, `b`\n");
    EXPECT_EQ(halogen("run two.hgn --kernel b --in X=x.npy").out, "Y: f32[2] = 0 2\n");
}

TEST_F(Program, BenchPrintsOneDocument) {
    const Outcome o = halogen("bench matmul --set M=16 N=16 K=16 --threads 1");
    EXPECT_EQ(o.err, "");
    EXPECT_THAT(o.out, StartsWith("{\"kernel\":\"matmul\",\"threads\":1,\"min_ns\":"));
    EXPECT_THAT(o.out, HasSubstr("\"peak_share\":"));
}

TEST_F(Program, BenchTakesTheVariantOfItsThreads) {
    EXPECT_REFUSED("bench sum_first --set M=4 N=4 --threads 2 --variant vectors_alone",
                   "halogen: variant `vectors_alone` does not serve this call: `threads() <= 1` does not hold\n"
                   "  fix  leave the choice to the kernel, or change the call\n");
    EXPECT_EQ(halogen("bench sum_first --set M=4 N=4 --threads 1 --variant vectors_alone").err, "");
}

TEST_F(Program, ExplainTellsClassWorkAndLoops) {
    const std::string text = halogen("explain matmul --all").out;
    EXPECT_THAT(text, HasSubstr("    contraction; 2 operations per point, 2*K*M*N in all\n"));
    EXPECT_THAT(text, HasSubstr("    reads   A[i, k]: strides i: K, k: 1\n"));
    EXPECT_THAT(text, HasSubstr("  B[k, j] dim 1: the index runs over just this dim\n"));
    EXPECT_THAT(text, HasSubstr("history\n"));
    EXPECT_THAT(text, HasSubstr("loop nest\n"));
    EXPECT_EQ(halogen("explain matmul --json").exit_code, 0);
}

TEST_F(Program, ExplainFitsAScreenUnlessAskedForAll) {
    for (const char* kernel : {"matmul", "conv2d", "softmax", "sobel"}) {
        const std::string text = halogen("explain " + std::string(kernel)).out;
        EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50) << text;
    }
    EXPECT_THAT(halogen("explain matmul").out,
                AllOf(HasSubstr("  in 6 of 6 dims of accesses an index runs over just that dim\n"),
                      ContainsRegex("\nhistory       [0-9]+ lines; loop nest [0-9]+ lines: shown by --all\n$")));
}

TEST_F(Program, ExplainTellsWhatServesBuffersOfOtherOrders) {
    EXPECT_THAT(halogen("explain softmax").out,
                HasSubstr("buffers\n"
                          "  row-major     its history\n"
                          "  column-major  the history of the kernel with its dims reversed\n"
                          "  mixed         X, Y copied where they lie otherwise than most\n"));
    EXPECT_THAT(halogen("explain sobel").out, HasSubstr("  column-major  its history\n  mixed         X, Y copied"));
    EXPECT_THAT(halogen("explain matmul").out, HasSubstr("buffers\n  any order     its history\n"));
    write("none.txt", "");
    EXPECT_THAT(halogen("explain softmax --history none.txt").out, HasSubstr("buffers\n  any order     its history\n"));
}

TEST_F(Program, HalidesOwnCommandLineMakesGenerators) {
    EXPECT_EQ(halogen("-g matmul -f mm -o . -e c_header,static_library,registration,hlpipe "
                      "target=x86-64-linux-sse41-avx-avx2-f16c-fma")
                  .exit_code,
              0);
    EXPECT_THAT(files(), ElementsAre("mm.a", "mm.h", "mm.hlpipe", "mm.registration.cpp"));
    write(
        "two.hgn",
        "kernel a(X: f32[N]) -> Y: f32 { Y[i] = X[i] }\nkernel b(X: f32[N], T: size) -> Y: f32[M] { Y[i] = X[T*i] }\n");
    EXPECT_EQ(halogen("-g any -f b -o . -e c_header target=host program=two.hgn kernel=b").exit_code, 0);
    EXPECT_THAT(
        contents("b.h"),
        HasSubstr("int b(struct halide_buffer_t *_X_buffer, int32_t _scalar_T, struct halide_buffer_t *_Y_buffer);"));
    const Outcome o = halogen("-g nothing -f b -o . -e c_header target=host");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.err, HasSubstr("cannot read `nothing`"));
}

}  // namespace
}  // namespace halogen
