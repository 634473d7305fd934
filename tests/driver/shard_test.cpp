// `halogen shard` and `halogen run --plan` as a user meets them.

#include "tests/driver/program.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace halogen {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Shards : public ProgramTest {
protected:
    /// Expects exit 1 and this text on standard error.
    static void expect_error(const std::string& arguments, const std::string& text) {
        const Outcome o = halogen(arguments);
        EXPECT_EQ(o.err, text);
        EXPECT_EQ(o.exit_code, 1);
        EXPECT_EQ(o.out, "");
    }

    /// The file that the kernel leaves by the plan for these splits, and by itself.
    static std::pair<std::string, std::string> both(const std::string& kernel, const std::string& splits,
                                                    const std::string& output, const std::string& sizes) {
        write("plan.txt", halogen("shard " + kernel + " --split " + splits).out);
        const std::string call = "run " + kernel + " --random 3 --threads 2 --set " + sizes + " --out " + output;
        const Outcome sharded = halogen(call + "=sharded.npy --verify --plan plan.txt");
        EXPECT_EQ(sharded.exit_code, 0) << sharded.err;
        EXPECT_EQ(halogen(call + "=whole.npy").exit_code, 0);
        return {contents("sharded.npy"), contents("whole.npy")};
    }
};

const char* const matmul_plan = "halogen plan 1\nkernel matmul\nkey 2728c2149f84e773\nsplit i 4\n";

TEST_F(Shards, ThePlanIsTheOutputAndFormulasAreItsComments) {
    EXPECT_EQ(
        halogen("shard matmul --split i=4").out,
        std::string(matmul_plan) +
            "# step 1: 4 shards\n"
            "#   C[i, j] += A[i, k] * B[k, j]\n"
            "#   i in 4 shards of M points: independent\n"
            "#   reads   A  [i.first, i.count + i.first - 1] x [0, K - 1]\n"
            "#   reads   B  [0, K - 1] x [0, N - 1]\n"
            "#   leaves  C  [i.first, i.count + i.first - 1] x [0, N - 1]\n"
            "#   each shard: operations 2*K*N*i.count; moves K*(4*N + 4*i.count) + 4*N*i.count bytes, holds K*(4*N + "
            "4*i.count) + 4*N*i.count, receives 4*K*N - 4*(K*N/4)\n");
}

TEST_F(Shards, APlanInAFileIsTheSamePlan) {
    write("plan.txt", matmul_plan);
    EXPECT_EQ(halogen("shard matmul --plan plan.txt").out, halogen("shard matmul --split i=4").out);
}

TEST_F(Shards, WithoutASplitTheRolesOfAllIndices) {
    EXPECT_EQ(halogen("shard cumsum").out,
              "what a split does\n"
              "  b    in equations 1, 2: independent (dim 0 of S)\n"
              "  b    in equation 3: independent (dim 0 of Y)\n"
              "  n    in equation 2: not: `S[b, n]` needs `S[b, n - 1]`, so `n` runs in order\n"
              "  n    in equation 3: independent (dim 1 of Y)\n");
}

TEST_F(Shards, RanksChooseTheSplit) {
    const Outcome o = halogen("shard matmul --set M=1024 N=1024 K=1024 --ranks 4");
    EXPECT_THAT(o.out,
                StartsWith("halogen plan 1\nkernel matmul\nkey 2728c2149f84e773\nsplit i 2\nsplit j 2\n"
                           "# i=2,j=2: 4 shards: 0.0124 s, computing 0.0107 s, exchanging 0.00169 s; at most 5242880 "
                           "bytes each, 2097152 received\n"
                           "#   then i=2,k=2: 0.0124 s; `i=2,k=2` sends more messages\n"));
    const auto json = nlohmann::json::parse(halogen("shard matmul --set M=64 N=64 K=64 --ranks 2 --json").out);
    EXPECT_EQ(json["plan"]["text"], "halogen plan 1\nkernel matmul\nkey 2728c2149f84e773\nsplit i 2\n");
    EXPECT_EQ(json["steps"][0]["shards"][1]["windows"]["A"], nlohmann::json::parse("[[32, 63], [0, 63]]"));
    EXPECT_EQ(json["candidates"].size(), 3U);
}

TEST_F(Shards, RanksWithoutWorkAreTold) {
    EXPECT_THAT(halogen("shard matmul --set M=2 N=2 K=2 --ranks 64").out,
                HasSubstr("# the points do not make 64 shards; at most 8 ranks have work\n# i=2,j=2,k=2: 8 shards: "));
}

TEST_F(Shards, MemoryAloneFindsTheFewestRanks) {
    EXPECT_THAT(halogen("shard matmul --set M=64 N=64 K=64 --memory 30000").out,
                HasSubstr("split i 2\nsplit j 2\n# i=2,j=2: 4 shards"));
}

TEST_F(Shards, MistakesAreToldInTheUsersNames) {
    expect_error("shard matmul --split q=2",
                 "halogen: the kernel has no index `q`\n  fix  its indices are `i`, `j`, `k`\n");
    expect_error("shard cumsum --split n=2",
                 "cumsum.hgn: index `n` cannot be split: `S[b, n]` needs `S[b, n - 1]`, so `n` runs in order\n"
                 "  at   S[b, n] = S[b, n - 1] + X[b, n - 1] where n in 1:N + 1\n"
                 "  fix  split one of `b`\n");
    expect_error("shard matmul --set M=3 --split i=4",
                 "halogen: index `i` has 3 points, which do not make 4 shards\n  fix  split it into at most 3\n");
    expect_error("shard matmul --set M=64 N=64 --ranks 4",
                 "halogen: a plan is chosen for numbers, and `K` is open\n  fix  give it, as in --set K=1024\n");
    expect_error("shard matmul --set M=64 N=64 K=64 --ranks 4 --memory 1000",
                 "halogen: no way to make 4 shards fits into 1000 bytes each\n"
                 "  fix  give each 20480 bytes, which i=2,j=2 needs, or use more ranks\n");
}

TEST_F(Shards, PartsAreForProgramsThatCallTheCompiledKernel) {  // tests/runtime/shards_test.cpp reads this text
    write("two.hgn", "kernel difference(X: f32[M, N], Z: f32[M, N]) -> Y: f32[M, N] { Y[i, j] = X[i, j] - Z[i, j] }");
    const std::string text = halogen("shard two.hgn --set M=5 N=3 --split i=2 --parts").out;
    EXPECT_THAT(text, StartsWith("halogen parts 1\nkernel difference\nkey "));
    EXPECT_EQ(text.substr(text.find("tensor")),
              "tensor X 5 3\ntensor Z 5 3\ntensor Y 5 3\n"
              "shard 0\npart X 0 2 0 3\npart Z 0 2 0 3\npart Y 0 2 0 3\n"
              "shard 1\npart X 2 3 0 3\npart Z 2 3 0 3\npart Y 2 3 0 3\n");
    expect_error(
        "shard jacobi2d --set H=8 W=8 --split y=2 --parts",
        "halogen: its shards are no calls of `jacobi2d` on parts of tensors: `X[y, x]` stands at other places in dim "
        "0 of a part of `X`: padding or an end of the dim lies there\n"
        "  fix  split another index, or run the plan with `halogen run --plan`\n");
    expect_error("shard matmul --set M=8 N=8 K=8 --split k=2 --parts",
                 "halogen: its shards are no calls of `matmul` on parts of tensors: shards leave partial results\n"
                 "  fix  split another index, or run the plan with `halogen run --plan`\n");
}

TEST_F(Shards, ScalingIsATableAndAPage) {
    const Outcome table = halogen("shard softmax --set B=64 N=4096 --scale strong --ranks 4");
    EXPECT_EQ(table.out,
              " ranks  split       seconds  efficiency  exchange      received          held\n"
              "     1  no split    0.00042        1.00        0%             0       3146240\n"
              "     2  b=2         0.00021        1.00        0%             0       1573120\n"
              "     4  b=4        0.000105        1.00        0%             0        786560\n");
    EXPECT_EQ(halogen("shard softmax --set B=64 N=4096 --scale B --ranks 4 --html scale.html").err, "");
    EXPECT_THAT(contents("scale.html"), HasSubstr("<h1>softmax: weak scaling, B growing with the ranks</h1>"));
}

TEST_F(Shards, PagesStandOnTheirOwn) {
    EXPECT_EQ(halogen("shard conv2d --set N=1 H=8 W=8 C=2 R=3 S=3 K=4 P=1 --split y=2 --html page.html").err, "");
    const std::string page = contents("page.html");
    EXPECT_THAT(page,
                StartsWith("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>conv2d: y=2</title>"));
    EXPECT_THAT(page, HasSubstr("Neighbours along <code>y</code> share 2 places of dim 1 of <code>X</code>. "));
    EXPECT_THAT(
        page,
        HasSubstr("<figcaption>reads <b>F</b>[3, 3, 2, 4]: dims 0 (down) and 3 (across), the same for every shard"));
    EXPECT_THAT(page, HasSubstr("<td>y 4–7<td>4 608<td>1 120<td>1 120<td>208</tr>"));
    EXPECT_EQ(halogen("explain matmul --html page.html").err, "");
    EXPECT_THAT(contents("page.html"), HasSubstr("<h2>loop nest</h2>\n<div class=\"nest\">"));
    EXPECT_THAT(contents("page.html"), HasSubstr("<td>reads A[i, k]<td class=\"far\">K<td class=\"still\">0<td "
                                                 "class=\"next\">1</tr>"));
    EXPECT_THAT(contents("page.html"), HasSubstr("<h2>index space and projections, drawn</h2>\n<p>K = "));
    EXPECT_THAT(contents("page.html"), HasSubstr("aria-label=\"B[k, j]\""));
    EXPECT_EQ(halogen("explain conv2d --set N=1 H=8 W=8 C=2 R=3 S=3 K=4 P=1 --html drawn.html").err, "");
    const std::string drawn = contents("drawn.html");
    EXPECT_THAT(drawn, HasSubstr("Y[1, 8, 8, 4]</p>"));
    EXPECT_THAT(drawn, HasSubstr("stroke-dasharray"));  // places on padding
    EXPECT_THAT(drawn, HasSubstr("9 216 operations"));
    EXPECT_THAT(contents("page.html"), HasSubstr("reads   A[i, k]  [i.first, i.count + i.first - 1] x [0, K - 1]\n"));
    for (const char* other : {"<script", "http", "src="}) EXPECT_THAT(contents("page.html"), Not(HasSubstr(other)));
    expect_error("shard matmul --split i=2 --html page.html",
                 "halogen: a page is drawn for numbers, and `K` is open\n  fix  give it, as in --set K=1024\n");
}

TEST_F(Shards, APlanThatDoesNotFitIsRefused) {
    write("edited.txt", std::string(matmul_plan) + "split j two\n");
    expect_error("shard matmul --plan edited.txt",
                 "halogen: edited.txt:5: `j` cannot be split into `two`\n  fix  write a number from 1 to 1048576\n");
    write("plan.txt", matmul_plan);
    expect_error(
        "run gemv --plan plan.txt --set M=4 K=4 --random 1",
        "halogen: the plan is for the kernel `matmul`, not for `gemv`\n  fix  make one with `halogen shard gemv`\n");
    expect_error("run matmul --plan plan.txt --set M=3 N=4 K=4 --random 1",
                 "halogen: index `i` has 3 points, which do not make 4 shards\n  fix  split it into at most 3\n");
}

TEST_F(Shards, IndependentShardsLeaveTheBitsOfTheWholeKernel) {
    const auto matmul = both("matmul", "i=3,j=2", "C", "M=65 N=70 K=50");
    EXPECT_EQ(matmul.first, matmul.second);
    const auto conv =
        both("conv2d", "y=3,n=2", "Y", "N=2 H=20 W=20 C=4 K=8 R=3 S=3 P=1 T=2");  // padding at two of three shards
    EXPECT_EQ(conv.first, conv.second);
}

TEST_F(Shards, PhasesAreSplitApartAndTheDataChangesHands) {
    write("adi.hgn",
          "kernel adi(X: f32[N, M]) -> Y: f32[N, M] { R[i, 0] = X[i, 0]; R[i, j] = R[i, j - 1] + X[i, j] where j in "
          "1:M; Y[0, j] = R[0, j]; Y[i, j] = Y[i - 1, j] + R[i, j] where i in 1:N }");
    const Outcome o = halogen("shard adi.hgn --set N=4096 M=4096 --ranks 4");
    EXPECT_EQ(o.out.substr(0, o.out.find('#')).substr(o.out.find("split")), "split i 4\nfrom 3\nsplit j 4\n");
    EXPECT_THAT(o.out, HasSubstr("# i=4 from 3 j=4: 4 shards: "));
    EXPECT_THAT(o.out, HasSubstr("#   shard 3: operations 4193280; moves 33554432 bytes, holds 33554432, receives "
                                 "12582912\n"));  // 3 of 4 of 1024 columns of 4096 rows
    write("adi.txt", o.out);
    const auto json = nlohmann::json::parse(halogen("shard adi.hgn --plan adi.txt --json").out);
    EXPECT_EQ(json["plan"]["phases"][1].dump(), R"({"from":3,"splits":[{"index":"j","shards":4}]})");
    const auto adi = both("adi.hgn", "'i=3 from 3 j=2'", "Y", "N=30 M=50 --strict");
    EXPECT_EQ(adi.first, adi.second);
    expect_error("shard adi.hgn --split 'i=2 from 5 j=2'",
                 "halogen: the kernel has no equation 5, from which splits are given\n"
                 "  fix  begin at one of its 4 equations\n");
    expect_error("shard adi.hgn --split 'i=2 from 3 i=2'",
                 "adi.hgn: index `i` cannot be split: `Y[i, j]` needs `Y[i - 1, j]`, so `i` runs in order\n"
                 "  at   Y[i, j] = Y[i - 1, j] + R[i, j] where i in 1:N\n  fix  split one of `j`\n");
}

/// Vectors, their ends and edges of stencils may add in another order; strict code does not.
TEST_F(Shards, StrictShardsHaveTheBitsOfTheStrictWhole) {
    write("heat3d.hgn",
          "kernel heat3d(U: f32[X pad 1, Y pad 1, Z pad 1] else 0) -> V: f32[X, Y, Z] { V[x, y, z] = U[x, y, z] + "
          "0.1*(U[x - 1, y, z] + U[x + 1, y, z] + U[x, y - 1, z] + U[x, y + 1, z] + U[x, y, z - 1] + U[x, y, z + 1] - "
          "6*U[x, y, z]) }");
    for (const char* splits : {"y=3", "x=3", "y=2,x=2"}) {
        const auto jacobi = both("jacobi2d", splits, "Y", "H=50 W=70 --strict");
        EXPECT_EQ(jacobi.first, jacobi.second) << splits;
    }
    const auto heat = both("heat3d.hgn", "x=2,z=2", "V", "X=10 Y=12 Z=40 --strict");
    EXPECT_EQ(heat.first, heat.second);
}

TEST_F(Shards, PartialResultsAreTheSameOnAnyNumberOfThreads) {
    const auto two = both("matmul", "k=3,i=2", "C", "M=33 N=40 K=50");
    EXPECT_EQ(
        halogen("run matmul --random 3 --threads 1 --set M=33 N=40 K=50 --plan plan.txt --out C=one.npy").exit_code, 0);
    EXPECT_EQ(contents("one.npy"), two.first);
}

}  // namespace
}  // namespace halogen
