// What a checked kernel says of itself: types, recurrences, indices, views.

#include "frontend/notation/versions.h"
#include "tests/language/read.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

using testing::read;

/// Every node of the last equation's right side as `text: type`, parents first.
std::string types_of(const Kernel& k) {
    std::string text;
    const Equation& eq = k.equations.back();
    int before = 0, nodes = 0;
    for (const Expr& place : eq.left.at) walk(place, [&](const Expr&) { before++; });
    walk(eq.right, [&](const Expr&) { nodes++; });
    each_type(k, eq, [&](const Expr& e, NodeTypes types) {
        if (before-- > 0 || nodes-- <= 0) return;
        text += (text.empty() ? "" : ", ") + print(e) + ": " + to_string(types.own);
    });
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& n : names) text += (text.empty() ? "" : " ") + n;
    return text;
}

TEST(Types, LiteralsSizesAndIndicesTakeTheOtherOperandsType) {
    EXPECT_EQ(types_of(read("kernel f(X: f64[N]) -> Y: f64 { Y[i] = 0.1*X[i] }")),
              "0.1*X[i]: f64, 0.1: f64, X[i]: f64, i: i64");
    EXPECT_EQ(types_of(read("kernel f(X: u8[N]) -> Y: u8 { Y[i] = X[i] + N }")),
              "X[i] + N: u8, X[i]: u8, i: i64, N: u8");
    EXPECT_EQ(types_of(read("kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i]*(i/2) }")),
              "X[i]*(i/2): f32, X[i]: f32, i: i64, i/2: f32, i: f32, 2: f32");
    EXPECT_EQ(types_of(read("kernel f(X: i8[N]) -> Y: i8 { Y[i] = max(X[i], -128) }")),
              "max(X[i], -128): i8, X[i]: i8, i: i64, -128: i8, 128: i8");
}

TEST(Types, AStoreGivesItsTypeToLiterals) {
    EXPECT_EQ(types_of(read("kernel f() -> Y: f64[3] { Y[i] = 0.1*i }")), "0.1*i: f64, 0.1: f64, i: f64");
    EXPECT_EQ(types_of(read("kernel f() -> Y: i16[3] { Y[i] = 2*i }")), "2*i: i16, 2: i16, i: i16");
}

TEST(Types, AloneWholeNumbersAreI64AndRealsF32) {
    EXPECT_EQ(types_of(read("kernel f() -> Y: bool[3] { Y[i] = i < 0.5 }")), "i < 0.5: bool, i: f32, 0.5: f32");
    EXPECT_EQ(types_of(read("kernel f() -> Y: bool[3] { Y[i] = i%2 == 0 }")),
              "i%2 == 0: bool, i%2: i64, i: i64, 2: i64, 0: i64");
    EXPECT_EQ(types_of(read("kernel f() -> Y: f64[3] { Y[i] = f64(i/2) }")), "f64(i/2): f64, i/2: i64, i: i64, 2: i64");
    EXPECT_EQ(types_of(read("kernel f() -> Y: bool[3] { Y[i] = sqrt(i) < 2 }")),
              "sqrt(i) < 2: bool, sqrt(i): f32, i: f32, 2: f32");
}

TEST(Types, AComparisonMeetsItsOperandsInTheirCommonType) {
    const Kernel k = read("kernel f(X: u8[N]) -> Y: bool { Y[i] = X[i] < 200 }");
    const auto [own, operands] = types_in(k, k.equations[0], k.equations[0].right, Type::boolean);
    EXPECT_EQ(operands, Type::u8);
    EXPECT_EQ(own, Type::boolean);
}

TEST(Types, PlacesAreComputedInI64) {
    EXPECT_EQ(types_of(read("kernel f(X: f32[N], I: u8[N]) -> Y: f32 { Y[i] = X[I[i] + 300] }")),
              "X[I[i] + 300]: f32, I[i] + 300: i64, I[i]: u8, i: i64, 300: i64");
}

TEST(Types, HalfTypesKeepTheirNameAndAreComputedInF32) {
    const Kernel k = read("kernel f(X: f16[N]) -> Y: f16 { Y[i] = X[i]*70000.0 }");
    EXPECT_EQ(types_of(k), "X[i]*70000.0: f16, X[i]: f16, i: i64, 70000.0: f16");
    EXPECT_EQ(compute_type(Type::f16), Type::f32);
}

TEST(Types, AnIntermediateHasTheCommonTypeOfItsRightSides) {
    const auto type = [](const std::string& body) {
        return to_string(
            read("kernel f(X: u8[N], W: f16[N], B: bool[N]) -> Y: f32 { " + body + "; Y[i] = 0 }").tensor("Z").type);
    };
    EXPECT_EQ(type("Z[i] = 0; Z[i] += X[i]"), "u8");
    EXPECT_EQ(type("Z[i] = 0.5; Z[i] += W[i]"), "f16");
    EXPECT_EQ(type("Z[i] = i"), "i64");
    EXPECT_EQ(type("Z[i] = 0.5*i"), "f32");
    EXPECT_EQ(type("Z[i] = sqrt(i)"), "f32");
    EXPECT_EQ(type("Z[i] = X[i] > 3"), "bool");
    EXPECT_EQ(type("Z[] or= B[i]"), "bool");
    EXPECT_EQ(type("V[i] = 0; Z[i] = V[i]; V[i] += W[i]"), "f16");
    EXPECT_EQ(type("Z[0] = 1; Z[i] = Z[i - 1]*2 where i in 1:N"), "i64");
    EXPECT_EQ(type("Z[i] = i32(X[i])"), "i32");
}

TEST(Recurrence, TheOrderNamesTheIndicesThatRunInOrder) {
    const auto order = [](const std::string& text) {
        const Kernel k = read(text);
        return joined(recurrence_order(k, k.equations.back()));
    };
    EXPECT_EQ(order("Y[i] = X[i]"), "");
    EXPECT_EQ(order("Y[i] = X[i]; Y[i] = 2*Y[i]"), "");
    EXPECT_EQ(order("Y[i, j] += X[i, k]*W[k, j]"), "");
    EXPECT_EQ(order("Y[i, j] = Y[i - 1, j] + X[i, j] where i in 1:X.0"), "i");
    EXPECT_EQ(order("Y[j, i] = Y[j, i - 2] + X[i, j] where i in 2:X.0"), "i");
    EXPECT_EQ(order("Y[i, j] = Y[i - 1, j + 1] + X[i, j]"), "i");
    EXPECT_EQ(order("Y[i, j] = Y[i + 1, j - 1] + X[i, j]"), "j");
    EXPECT_EQ(order("Y[i, j] = Y[i - 1, j] + Y[i, j - 1]"), "i j");
    EXPECT_EQ(order("Y[i, j] = Y[i - 1, j + 3] + Y[i, j - 1]"), "i j");
    EXPECT_EQ(order("Y[i, j] = Y[i + 3, j - 1] + Y[i - 1, j]"), "j i");
    EXPECT_EQ(order("Y[X.0 - 1 - i] = Y[X.0 - i] + X[i] where i in 1:X.0"), "i");
    EXPECT_EQ(order("Y[i] += -L[i, j]*Y[j] where j < i"), "i");
    EXPECT_EQ(order("Y[i] += L[i, j]*Y[j] where i >= j + 1, j in 0:L.0"), "i");
    EXPECT_EQ(order("Y[i] = Y[0]*X[i] where i in 1:X.0"), "i");
    EXPECT_EQ(order("Y[i] = Y[0]*X[i] where i > 0"), "i");
    EXPECT_EQ(order("kernel f(X: f32[N], D: size) -> Y: f32 { Y[i] = Y[i - D] + X[i] where i in D:N }"), "i");
    EXPECT_EQ(order("Y[1] = Y[0]"), "");
}

TEST(Equations, IndicesComeInOrderOfFirstAppearanceAndReducedOnesAreNotOnTheLeft) {
    const Kernel k = read(
        "kernel f(X: f32[N], W: f32[N, M], I: i32[N]) -> Z: f32 { Z[y, I[x]] += X[2*y + r]*W[s, x] where k in 0:3, q < "
        "2 }");
    EXPECT_EQ(joined(indices_of(k.equations[0])), "y x r s k q");
    EXPECT_EQ(joined(reduced_indices_of(k.equations[0])), "r s k q");
}

TEST(Views, AViewIsOnePlainReadOfAWholeTensor) {
    const auto view = [](const std::string& body) {
        return is_view(read("kernel f(X: f32[N], I: i32[N]) -> Y: f32 { " + body + "; Y[i] = 0 }"), "V");
    };
    EXPECT_TRUE(view("V[y, r] = X[2*y + r]"));
    EXPECT_TRUE(view("V[i] = X[5]"));
    EXPECT_FALSE(view("V[i, i] = X[i]"));
    EXPECT_FALSE(view("V[2*i] = X[i]"));
    EXPECT_FALSE(view("V[i] = -X[i]"));
    EXPECT_FALSE(view("V[i] = X[I[i]]"));
    EXPECT_FALSE(view("V[i] = X[i] where i in 0:3"));
    EXPECT_FALSE(view("V[i] += X[i]"));
    EXPECT_FALSE(view("V[i] = X[i]; V[i] = X[i]"));
    EXPECT_FALSE(view("Z[i] = X[i]; V[i] = Z[i]; Z[i] += 1")) << "what V reads changes behind it";
    EXPECT_TRUE(view("Z[i] = X[i]; Z[i] += 1; V[i] = Z[i]"));
    EXPECT_FALSE(is_view(read("Y[i] = X[i]"), "X"));
    EXPECT_TRUE(is_view(read("Y[i] = X[i]"), "Y"));
}

/// "Y{0,2} Q{1}": the versions in order, each with its equations, and `<n` behind one that starts from version n.
std::string versions(const std::string& body) {
    std::string text;
    const Kernel kernel = read("kernel f(X: f32[N]) -> Y: f32 { " + body + " }");
    for (const Version& version : versions_of(kernel).all) {
        text += (text.empty() ? "" : " ") + version.tensor + "{";
        for (const int e : version.equations) text += (text.back() == '{' ? "" : ",") + std::to_string(e);
        text += version.previous < 0 ? "}" : "}<" + std::to_string(version.previous);
    }
    return text;
}

TEST(Versions, ATensorHasOneForEachStretchBetweenItsReaders) {
    EXPECT_EQ(versions("Y[i] = X[i]; Y[i] += X[i]"), "Y{0,1}");
    EXPECT_EQ(versions("Y[i] = X[i]; Q[i] = 2*X[i]; Y[i] = Y[i] + Q[i]"), "Q{1} Y{0,2}");
    EXPECT_EQ(versions("Y[i] = X[i]; Q[i] = 2*Y[i]; Y[i] += Q[i]; Y[i] += 1"), "Y{0} Q{1} Y{2,3}<0");
    EXPECT_EQ(versions("Y[i] = X[i]; Q[i] = Y[i]; Y[i] += Q[i]; Q[i] += 1; Y[i] += Q[i]"), "Y{0} Q{1} Q{3}<1 Y{2,4}<0");
    const Kernel kernel = read("kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i]; Q[i] = 2*Y[i]; Y[i] += Q[i] }");
    const Versions found = versions_of(kernel);
    EXPECT_EQ(found.written, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(found.read[1].at("Y"), 0);
    EXPECT_EQ(found.read[2], (std::map<std::string, int>{{"Q", 1}}));
    EXPECT_EQ(found.last, (std::map<std::string, int>{{"Q", 1}, {"Y", 2}}));
}

TEST(Names, TheWordsForTypesFunctionsAndKindsReadBack) {
    for (int t = 0; t <= static_cast<int>(Type::boolean); ++t)
        EXPECT_EQ(parse_type(to_string(static_cast<Type>(t))), static_cast<Type>(t));
    for (int f = 0; f <= static_cast<int>(Function::pow); ++f)
        EXPECT_EQ(parse_function(to_string(static_cast<Function>(f))), static_cast<Function>(f));
    EXPECT_FALSE(parse_type("float"));
    EXPECT_EQ(to_string(ErrorKind::non_integer), "non_integer");
    EXPECT_EQ(format({ErrorKind::io, "cannot read `x`", {}, "", ""}, "x"), "x: cannot read `x`");
}

}  // namespace
}  // namespace halogen
