// What the notation accepts, and the one text it is printed back as.

#include "examples.h"
#include "frontend/notation/program.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

Program read(const std::string& text) {
    auto result = parse(text);
    EXPECT_TRUE(result) << text << "\n" << (result ? "" : format(result.error(), "text"));
    return result ? result.value() : Program{};
}

TEST(Grammar, EveryExamplePrintsAsItIsWritten) {
    for (const auto& example : testing::examples) EXPECT_EQ(print(read(example.text)), example.text) << example.about;
}

TEST(Grammar, EveryExampleSurvivesTheRoundTrip) {
    for (const auto& example : testing::examples) {
        const Program program = read(example.text);
        EXPECT_TRUE(read(print(program)) == program) << example.about;
    }
}

TEST(Grammar, CheckLeavesACheckedKernelAsItIs) {
    for (const auto& example : testing::examples)
        for (const Kernel& kernel : read(example.text).kernels) {
            const auto again = check(kernel);
            ASSERT_TRUE(again) << example.about << "\n" << format(again.error(), "check");
            EXPECT_TRUE(again.value() == kernel) << example.about;
        }
}

struct Spelling {
    const char* written;
    const char* printed;
};

TEST(Grammar, SpacesNewLinesAndCommentsDoNotCountWhereTheNotationSaysSo) {
    const Spelling table[] = {
        {"Y[i]=X[i]", "Y[i] = X[i]\n"},
        {"\n\n  Y[i] = X[i]  # as it is\n\n", "Y[i] = X[i]\n"},
        {"Y[i] = X[i];Z[i] = Y[i];;", "Y[i] = X[i]\nZ[i] = Y[i]\n"},
        {"Y[\n i\n,\n j\n] = X[i # a comment inside\n, j]", "Y[i, j] = X[i, j]\n"},
        {"Y[i] =\n X[i] +\n # between\n\n 1", "Y[i] = X[i] + 1\n"},
        {"Y[i] +=\nX[i]", "Y[i] += X[i]\n"},
        {"M[] max=\nX[i]", "M[] max= X[i]\n"},
        {"Y[i] = (X[i]\n + 1\n)", "Y[i] = X[i] + 1\n"},
        {"Y[i] = X[i] where\n i in\n 1:\n 5,\n i\n != 2", nullptr},
        {"Y[i] = X[i] where\n i in\n 1:\n 5,\n i !=\n 2", "Y[i] = X[i] where i in 1:5, i != 2\n"},
        {"Y[i] = X[i] where i > 1 and\n not\n i == 3 or\n i < 7", "Y[i] = X[i] where i > 1 and not i == 3 or i < 7\n"},
        {"Y[i] = X[i]\r\nZ[i] = Y[i]\r\n", "Y[i] = X[i]\nZ[i] = Y[i]\n"},
        {"\xEF\xBB\xBFY[i] = X[i]", "Y[i] = X[i]\n"},
        {"Y[i] = X[i] # caf\xC3\xA9 \xFF", "Y[i] = X[i]\n"},
        {"\tY [ i ] = exp ( X [i] )", "Y[i] = exp(X[i])\n"},
        {"kernel f ( X : f32 [ N ] )\n -> Y : f32\n {\n\n Y[i] = X[i] ; }",
         "kernel f(X: f32[N]) -> Y: f32 {\n  Y[i] = X[i]\n}\n"},
        {"kernel\nf(\nX: f32[N],\n\nT: size\n= 2)\n->\n(Y: f32,\nZ: f32) { Y[i] = X[i]; Z[i] = T }",
         "kernel f(X: f32[N], T: size = 2) -> (Y: f32, Z: f32) {\n  Y[i] = X[i]\n  Z[i] = T\n}\n"},
        {"kernel f(X: f32[N pad 1]\n else\n 0) -> (Y: f32) { Y[i] = X[i - 1] }",
         "kernel f(X: f32[N pad 1] else 0) -> Y: f32 {\n  Y[i] = X[i - 1]\n}\n"},
    };
    for (const auto& [written, printed] : table) {
        if (printed)
            EXPECT_EQ(print(read(written)), printed) << written;
        else
            EXPECT_FALSE(parse(written)) << "a line may not begin with an operator: " << written;
    }
}

TEST(Grammar, BracketsAreDroppedWhereTheTreeStaysTheSame) {
    const Spelling table[] = {
        {"Y[i] = ((X[i]))", "Y[i] = X[i]\n"},
        {"Y[i] = (X[i] + 1) + 2", "Y[i] = X[i] + 1 + 2\n"},
        {"Y[i] = X[i] + (1 + 2)", "Y[i] = X[i] + (1 + 2)\n"},
        {"Y[i] = (2*X[i])/3", "Y[i] = 2*X[i]/3\n"},
        {"Y[i] = 2*(X[i]/3)", "Y[i] = 2*(X[i]/3)\n"},
        {"Y[i] = -(X[i])*2", "Y[i] = -X[i]*2\n"},
        {"Y[i] = -(X[i]*2)", "Y[i] = -(X[i]*2)\n"},
        {"Y[i] = X[i]*(-2)", "Y[i] = X[i]*-2\n"},
        {"Y[i] = X[i] - (-2)", "Y[i] = X[i] - -2\n"},
        {"Y[i] = -(-X[i])", "Y[i] = --X[i]\n"},
        {"Y[i] = X[(2*i) + (k)] where ((k in 0:3))", nullptr},
        {"Y[i] += X[(2*i) + (k)] where k in (0):(2 + 1)", "Y[i] += X[2*i + k] where k in 0:2 + 1\n"},
        {"Y[i] = X[i] where (not (i < 3)) and (i < 9)", "Y[i] = X[i] where not i < 3 and i < 9\n"},
        {"Y[i] = X[i] where not (i < 3 and i < 9)", "Y[i] = X[i] where not (i < 3 and i < 9)\n"},
        {"Y[i] = X[i] where (i < 3) or ((i < 9) and (i > 7))", "Y[i] = X[i] where i < 3 or i < 9 and i > 7\n"},
        {"Y[i] = X[i] where ((i + 1) < 3)", "Y[i] = X[i] where i + 1 < 3\n"},
        {"Y[i] = i - -9223372036854775808", "Y[i] = i - -9223372036854775808\n"},
        {"Y[i] = -(-9223372036854775808)", "Y[i] = -(-9223372036854775808)\n"},
    };
    for (const auto& [written, printed] : table) {
        if (printed)
            EXPECT_EQ(print(read(written)), printed) << written;
        else
            EXPECT_FALSE(parse(written)) << written;
    }
}

TEST(Grammar, NumbersKeepTheirValue) {
    const Spelling table[] = {{"007", "7"},         {"1.", "1.0"},      {".5", "0.5"},
                              {"1e3", "1000.0"},    {"1E+3", "1000.0"}, {"2.50e-3", "0.0025"},
                              {"1e22", "1e+22"},    {"0.1", "0.1"},     {"123456789.125", "123456789.125"},
                              {"1e-310", "1e-310"}, {"0.0", "0.0"},     {"9223372036854775807", "9223372036854775807"}};
    for (const auto& [written, printed] : table)
        EXPECT_EQ(
            print(read(std::string("kernel f() -> Y: f64 { Y[] = ") + written + " }").kernels[0].equations[0].right),
            printed);
}

TEST(Grammar, ALetterCaseAndTheHeaderDecideWhatABareNameIs) {
    const auto kernel =
        read("kernel f(a: f32, T: f32, t: size, U: size, X: f32[N]) -> Y: f32 { Y[i] = X[i] + a + T + t + U + N + i }")
            .kernels[0];
    std::string sorts;
    walk(kernel.equations[0].right, [&](const Expr& e) {
        if (auto* s = e.as<ScalarRef>()) sorts += "scalar " + s->name + ", ";
        if (auto* s = e.as<SizeRef>()) sorts += "size " + s->name + ", ";
        if (auto* s = e.as<IndexRef>()) sorts += "index " + s->name + ", ";
    });
    EXPECT_EQ(sorts, "index i, scalar a, scalar T, size t, size U, size N, index i, ");
}

TEST(Grammar, ABareTextFindsInputsOutputsAndIntermediates) {
    const auto kernel =
        read("M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; Y[b, n] = E[b, n]/S[b]; V[b] = W[b]")
            .kernels[0];
    std::string roles;
    for (const Tensor& t : kernel.tensors)
        roles += t.name + ":" + to_string(t.type) + ":" + std::to_string(t.rank) +
                 (t.role == Role::input    ? "in "
                  : t.role == Role::output ? "out "
                                           : "mid ");
    EXPECT_EQ(roles, "X:f32:2in W:f32:1in Y:f32:2out V:f32:1out M:f32:1mid E:f32:2mid S:f32:1mid ");
    ASSERT_EQ(kernel.parameters.size(), 2u);
    EXPECT_EQ(kernel.parameters[0].name, "X");
    EXPECT_EQ(kernel.parameters[1].name, "W");
    EXPECT_FALSE(kernel.tensor("X").dims);
}

TEST(Grammar, ATensorThatReadsItselfAloneIsStillAnOutput) {
    const auto kernel = read("Y[0] = X[0]; Y[i] = Y[i - 1] + X[i] where i in 1:X.0").kernels[0];
    EXPECT_EQ(kernel.tensor("Y").role, Role::output);
}

TEST(Grammar, APadIsTheSameExpressionOnBothSidesUnlessAPairIsGiven) {
    const auto kernel =
        read(
            "kernel f(X: f32[A pad (P + 1)*2, B pad (P, Q), C pad (min(P, Q)), D]) -> Y: f32 { Y[i] += X[i, j, k, l] }")
            .kernels[0];
    const auto& dims = *kernel.tensor("X").dims;
    EXPECT_EQ(print(dims[0].pad_low) + "|" + print(dims[0].pad_high), "(P + 1)*2|(P + 1)*2");
    EXPECT_EQ(print(dims[1].pad_low) + "|" + print(dims[1].pad_high), "P|Q");
    EXPECT_EQ(print(dims[2].pad_low) + "|" + print(dims[2].pad_high), "min(P, Q)|min(P, Q)");
    EXPECT_FALSE(dims[3].pad_low.defined());
    EXPECT_EQ(kernel.tensor("X").boundary.mode, Boundary::Mode::constant);
    EXPECT_EQ(print(kernel.tensor("X").boundary.constant), "0");
}

TEST(Grammar, AnEquationKeepsItsTextAndPlace) {
    const auto kernel = read("kernel f(X: f32[N]) -> Y: f32 {\n\n  Y[i]   =\n     X[i] +  # why\n 1\n}").kernels[0];
    EXPECT_EQ(kernel.equations[0].text, "Y[i] = X[i] + 1");
    EXPECT_EQ(kernel.equations[0].at, (Position{3, 3}));
    Position one;
    walk(kernel.equations[0].right, [&](const Expr& e) { one = e.as<IntegerLiteral>() ? e.position() : one; });
    EXPECT_EQ(one, (Position{5, 2}));
}

TEST(Grammar, WrittenFormsOfOneTreeAreEqualAndOtherTreesAreNot) {
    EXPECT_TRUE(read("Y[i] = (X[i])") == read("Y[ i ] = X[i] # same"));
    EXPECT_FALSE(read("Y[i] = X[i] + 1") == read("Y[i] = 1 + X[i]"));
    EXPECT_FALSE(read("Y[i] = X[i] + 1") == read("Y[i] = X[i] + 1.0"));
    EXPECT_FALSE(read("Y[i] += X[i]") == read("Y[i] = X[i]"));
    EXPECT_FALSE(read("Y[i] = X[i] where i in 0:3") == read("Y[i] = X[i] where i in 0:4"));
}

}  // namespace
}  // namespace halogen
