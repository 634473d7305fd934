// One kernel, several schedules: which there are, what they ask for, how they are written, and which serves a call.

#include "schedules/variants/variants.h"

#include "frontend/solve/solve.h"
#include "schedules/history/json.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/history/text_cursor.h"
#include "tests/schedule/whole_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.front(); }

Facts facts(const std::string& text) {
    TextCursor cursor(text, 1);
    return parse_facts(cursor);
}

/// With every size parameter open, as kernels are compiled.
Solution open_solution(const Kernel& kernel) {
    Settings open;
    for (const SizeParam& size : kernel.sizes) open[size.name] = std::nullopt;
    return solve(kernel, open).value();
}

std::string merged_text(const std::string& text, bool declares = false) {
    const Kernel kernel = kernel_of(text);
    const auto result = merged(kernel, open_solution(kernel), declares);
    return result ? print(result->kernel) : "nothing";
}

std::string names(const std::string& text, const VariantWishes& wishes = {}) {
    const Kernel kernel = kernel_of(text);
    std::vector<std::string> all;
    for (const Variant& v : whole_variants(kernel, open_solution(kernel), wishes))
        all.push_back(called(v) + ": " + print(v.when));
    return fmt::format("{}", fmt::join(all, "; "));
}

Error refusal(const std::string& text, const VariantWishes& wishes) {
    const Kernel kernel = kernel_of(text);
    const auto made = guarded([&] { return whole_variants(kernel, open_solution(kernel), wishes); });
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
}

TEST(Merged, DimsThatAreWalkedSideBySideAreOne) {
    EXPECT_EQ(merged_text("kernel f(X: f32[H, W, C]) -> Y: f32 { Y[i, j, c] = 2*X[i, j, c] }"),
              "kernel f(X: f32[_]) -> Y: f32 {\n  Y[i_j_c] = 2*X[i_j_c]\n}\n");
    EXPECT_EQ(merged_text("kernel f(X: f32[H, W, C], b: f32[C]) -> Y: f32 { Y[i, j, c] = b[c]*X[i, j, c] }"),
              "kernel f(X: f32[_, C], b: f32[C]) -> Y: f32 {\n  Y[i_j, c] = b[c] * X[i_j, c]\n}\n");
    EXPECT_EQ(merged_text("kernel f(A: f32[P, M, K], B: f32[K, N]) -> C: f32 { C[b, i, j] += A[b, i, k]*B[k, j] }"),
              "kernel f(A: f32[_, K], B: f32[K, N]) -> C: f32 {\n  C[b_i, j] += A[b_i, k] * B[k, j]\n}\n");
    EXPECT_EQ(merged_text("kernel f(X: f32[N, M]) -> S: f32 { S[] += X[i, j] }"),
              "kernel f(X: f32[_]) -> S: f32 {\n  S[] += X[i_j]\n}\n");
    EXPECT_EQ(merged_text("kernel f(X: f32[C, H, W]) -> Y: f32 { Y[i, j, c] = X[c, i, j] }"),
              "kernel f(X: f32[C, _]) -> Y: f32 {\n  Y[i_j, c] = X[c, i_j]\n}\n");
}

TEST(Merged, EquationsMayNameTheirIndicesDifferently) {
    EXPECT_EQ(merged_text("kernel f(X: f32[N, M]) -> Y: f32 { T[i, j] = 2*X[i, j]; Y[a, b] = T[a, b] + X[a, b] }"),
              "kernel f(X: f32[_]) -> Y: f32 {\n  T[i_j] = 2*X[i_j]\n  Y[a_b] = T[a_b] + X[a_b]\n}\n");
}

TEST(Merged, NothingIsMergedThatLooksAtOneOfTheDims) {
    const char* const kernels[] = {
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[j, i] = X[i, j] }",
        "kernel f(X: f32[N, M], b: f32[N]) -> Y: f32 { Y[i, j] = b[i]*X[i, j] }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j]*f32(j) }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j] where i in 0:3 }",
        "kernel f(X: f32[N, M], P: size) -> Y: f32[P, M] { Y[i, j] = X[i, j] }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j] where j <= i }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j + 1] }",
        "kernel f(X: f32[N, M pad 1]) -> Y: f32 { Y[i, j] = X[i, j] + X[i, j - 1] }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[2*i + 1, j] }",
        "kernel f(X: f32[N, M]) -> Y: f32[N, M] { Y[i, j] = X[N - 1 - i, j] }",
        "kernel f(X: f32[N, _]) -> Y: f32 { Y[i, j] = X[i + 2, j] }",
        "kernel f(X: f32[N, M], M0: f32[N]) -> Y: f32 { Y[i, j] += M0[i]*X[i, j + r] where r in 0:3 }",
        "kernel f(X: f32[N, M pad 1, C], b: f32[C]) -> Y: f32 { Y[i, j, c] = X[i, j + 1, c] + b[c] }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i] += X[i, j] }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j] + X.0 }",
        "kernel f(X: f32[N, M]) -> Y: f32 { Y[i, 0] = X[i, 0]; Y[i, j] = Y[i, j - 1] + X[i, j] where j in 1:M }",
        "kernel f(X: f32[N, N]) -> Y: f32 { Y[i] = X[i, i] }",
        "kernel f(X: f32[N, M]) -> (Y: f32, Z: f32[N + 2]) { Y[i, j] = X[i, j]; Z[k] = 1 }",
    };
    for (const char* const text : kernels) EXPECT_EQ(merged_text(text), "nothing") << text;
}

TEST(Merged, WindowsOfPixelsAreWindowsOfTheirElements) {
    EXPECT_EQ(
        merged_text(
            "kernel f(X: f32[H, W, C]) -> Y: f32 { Y[y, x, c] += X[y + r, x + s, c] where r in 0:3, s in 0:3 }"),
        "kernel f(X: f32[H, _], C: size) -> Y: f32 {\n  Y[y, x_c] += X[y + r, x_c + C*s] where r in 0:3, s in 0:3\n}\n")
        << "the caller's tensor has C";
    EXPECT_EQ(
        merged_text("kernel f(X: f32[H, W, C], P: size) -> Y: f32[H, P, C] { Y[y, x, c] = X[y, x + 4, c] }", true),
        "kernel f(X: f32[H, _], P: size, C: size) -> Y: f32[H, P*C] {\n  Y[y, x_c] = X[y, x_c + C*4]\n}\n");
    EXPECT_EQ(merged_text("kernel f(X: f32[H, W, 3]) -> Y: f32 { Y[y, x, c] = X[y, x + 2, c] - X[y, x, c] }"),
              "kernel f(X: f32[H, _]) -> Y: f32 {\n  Y[y, x_c] = X[y, x_c + 3*2] - X[y, x_c]\n}\n");
    EXPECT_EQ(
        merged_text("kernel f(X: f32[H, W pad 1, C], K: f32[S]) -> Y: f32 { Y[y, x, c] += X[y, x + s - 1, c]*K[s] }"),
        "kernel f(X: f32[H, _ pad C*1] else 0, K: f32[S], C: size) -> Y: f32 {\n"
        "  Y[y, x_c] += X[y, x_c + C*s - C*1] * K[s]\n}\n");
    EXPECT_EQ(merged_text("kernel f(X: f32[H pad 2, W, 3] else edge, w: f32[5]) -> Y: f32 { "
                          "Y[y, x, c] += X[y + r - 2, x, c]*w[r] }"),
              "kernel f(X: f32[H pad 2, _] else edge, w: f32[5]) -> Y: f32 {\n"
              "  Y[y, x_c] += X[y + r - 2, x_c] * w[r]\n}\n")
        << "and rows of an image with edges above and below stay rows";
    EXPECT_EQ(merged_text("kernel f(X: f32[H pad 2, 64], w: f32[5]) -> Y: f32 { Y[y, x] += X[y + r - 2, x]*w[r] }"),
              "nothing");
    EXPECT_EQ(merged_text("kernel f(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[i, j]/f32(N) }"),
              "kernel f(X: f32[_], N: size) -> Y: f32 {\n  Y[i_j] = X[i_j]/f32(N)\n}\n");
}

TEST(Merged, OneTensorKeepsTheOthersApart) {
    EXPECT_EQ(
        merged_text(
            "kernel f(X: f32[N, M], Z: f32[M, N]) -> Y: f32 { T[i, j] = 2*X[i, j]; Y[i, j] = T[i, j] + Z[j, i] }"),
        "nothing")
        << "T and X are walked apart from Z in the first equation, but not in the second";
}

TEST(Facts, AreReadAndPrinted) {
    const std::pair<const char*, const char*> texts[] = {
        {"R == 3 and S == 3", "R == 3 and S == 3"},
        {"R=3, S = 3", "R == 3 and S == 3"},
        {"N % 16 == 0", "N % 16 == 0"},
        {"K <= 16 and dense(X)", "K <= 16 and dense(X)"},
        {"K >= 16", "16 <= K"},
        {"K < 16", "K <= 15"},
        {"M*N*K > 131071", "131071 <= K*M*N - 1"},
        {"stride(X, 1) == 1, stride(X, 0) < stride(X, 1)", "stride(X, 1) == 1 and stride(X, 0) < stride(X, 1)"},
        {"apart(X, Y) and threads() <= 1", "apart(X, Y) and threads() <= 1"},
    };
    for (const auto& [text, printed] : texts) {
        EXPECT_EQ(print(facts(text)), printed);
        EXPECT_EQ(facts(printed), facts(text));
    }
    EXPECT_EQ(sizes_in(facts("R == 3 and K <= 16 and N % 16 == 0 and S == 5")), (Settings{{"R", 3}, {"S", 5}}));
}

TEST(Facts, ThatCannotBeComputedDoNotHold) {
    const Kernel kernel = kernel_of("kernel f(X: f32[N, M]) -> Y: f32 { Y[j] += X[i, j] }");
    const Solution open = open_solution(kernel);
    const Bindings sizes{{"N", 7}, {"M", 0}};
    EXPECT_EQ(broken_relation(facts("N == 7 and M <= 3"), open, sizes), nullptr);
    const Facts wrong = facts("N == 7 and M == 3"), undefined = facts("N / M == 2"),
                large = facts("N*N*4611686018427387904 <= 1");
    EXPECT_EQ(broken_relation(wrong, open, sizes), &wrong[1]);
    EXPECT_EQ(broken_relation(undefined, open, sizes), &undefined[0]);
    EXPECT_EQ(broken_relation(large, open, sizes), &large[0]);
}

TEST(Variants, FollowFromTheKernelAndFromWhatIsAskedFor) {
    const std::string map = "kernel f(X: f32[H, W]) -> Y: f32 { Y[i, j] = 2*X[i, j] }";
    EXPECT_EQ(names(map), "merged: dense(X) and dense(Y); any: ");
    EXPECT_EQ(names(map, {.most = 1}), "any: ");
    EXPECT_EQ(names(map, {.wanted = {facts("W = 3"), facts("W <= 8, H = 2")}}),
              "W3: W == 3; for2: W <= 8 and H == 2; merged: dense(X) and dense(Y); any: ");
    EXPECT_EQ(names(map, {.wanted = {facts("W = 3")}, .most = 1}), "W3: W == 3; any: ")
        << "those asked for do not count";
    EXPECT_EQ(names(map, {.wanted = {facts("W = 3")}, .only = {"W3"}}), "W3: W == 3; any: ");
    EXPECT_EQ(names("kernel f(X: f32[H, W]) -> Y: f32 { Y[i] += X[i, j]*f32(j) }"), "any: ");
}

TEST(Variants, WindowsOnRowsAreThreeOrTwoWideAndStepByOneOrTwo) {
    const std::string pool =
        "kernel f(X: f32[C, H, W], R: size = 2, T: size = 2) -> Y: f32 { Y[c, y, x] max= X[c, T*y + r, T*x + s] "
        "where r in 0:R, s in 0:R }";
    const std::string dense = " and dense(X) and dense(Y); ";
    EXPECT_EQ(names(pool), "R3_T1: R == 3 and T == 1" + dense + "R3_T2: R == 3 and T == 2" + dense +
                               "R2_T2: R == 2 and T == 2" + dense + "T1: T == 1" + dense + "T2: T == 2" + dense +
                               "any: ");
    EXPECT_EQ(names(pool, {.most = 2}), "R3_T1: R == 3 and T == 1" + dense + "any: ");
    EXPECT_EQ(names(pool, {.wanted = {facts("T = 2")}, .only = {"T2"}}), "T2: T == 2; any: ");
    EXPECT_EQ(names("kernel f(X: f32[H, W], F: f32[R, S]) -> Y: f32 { Y[y, x] += X[y + r, x + s]*F[r, s] }"),
              "R3_S3: R == 3 and S == 3 and dense(X) and dense(F) and dense(Y); any: ");
    EXPECT_EQ(
        names("kernel f(X: f32[C, H, W], F: f32[K, C, R], T: size) -> Y: f32 { Y[k, y, x] += X[c, y, T*x + r]*F[k, "
              "c, r] }"),
        "R1_T1: R == 1 and T == 1 and 64 <= (W - R)/T + 1 and dense(X) and dense(F) and dense(Y); "
        "T1: T == 1 and dense(X) and dense(F) and dense(Y); T2: T == 2 and dense(X) and dense(F) and dense(Y); any: ")
        << "channels are summed too: then windows may be one point";
    EXPECT_EQ(names("kernel f(X: f32[H, W, C], T: size) -> Y: f32 { Y[y, x, c] += X[T*y, T*x + s, c] where s in 0:3 }"),
              "any: ")
        << "rows of channels lie side by side whatever T is";
}

TEST(Variants, WindowsThatWeighEachChannelAreOfThreeByThreeWhereThereAreChannelsForVectors) {
    const std::string dense = " and dense(X) and dense(F) and dense(Y); ";
    EXPECT_EQ(names("kernel f(X: f32[H, W, C], F: f32[R, S, C], T: size) -> Y: f32 { "
                    "Y[y, x, c] += X[T*y + r, T*x + s, c]*F[r, s, c] }"),
              "R3_S3_T1: R == 3 and S == 3 and T == 1 and 4 <= (W - S)/T + 1 and 32 <= C" + dense +
                  "R3_S3_T2: R == 3 and S == 3 and T == 2 and 4 <= (W - S)/T + 1 and 32 <= C" + dense + "any: ");
    EXPECT_EQ(names("kernel f(X: f32[H, W, 64], F: f32[R, S, 64]) -> Y: f32 { "
                    "Y[y, x, c] += X[y + r, x + s, c]*F[r, s, c] }"),
              "R3_S3: R == 3 and S == 3 and 4 <= W - S + 1" + dense + "any: ");
    for (const char* text :
         {"kernel f(X: f32[H, W, C], F: f32[R, S, C, K]) -> Y: f32 { Y[y, x, k] += X[y + r, x + s, c]*F[r, s, c, k] }",
          "kernel f(X: f32[H, W, C], F: f32[C, C]) -> Y: f32 { Y[y, x, c] += X[y, x, k]*F[k, c] }",
          "kernel f(X: f32[C, W], F: f32[R, W]) -> Y: f32 { Y[c] += X[c + r, w]*F[r, w] }"})
        EXPECT_EQ(names(text).find("R3"), std::string::npos) << text;
}

TEST(Variants, GroupsAreOfEightChannelsByEightFiltersOrOfFour) {
    const std::string dense = " and dense(X) and dense(F) and dense(Y); ";
    EXPECT_EQ(names("kernel f(X: f32[H, W, G, C], F: f32[R, S, G, C, K]) -> Y: f32 { "
                    "Y[y, x, g, k] += X[y + r, x + s, g, c]*F[r, s, g, c, k] }"),
              "C8_K8: C == 8 and K == 8" + dense + "C4_K4: C == 4 and K == 4" + dense + "any: ");
    EXPECT_EQ(names("kernel f(X: f32[N, H, W, C], F: f32[R, S, C, K]) -> Y: f32 { "
                    "Y[n, y, x, k] += X[n, y + r, x + s, c]*F[r, s, c, k] }")
                  .substr(0, 20),
              "C3_K8: C == 3 and K ")
        << "images share their filters";
}

TEST(Variants, ImagesHaveOneThreeOrFourColours) {
    const std::string halved = "kernel f(X: u8[H, W, C]) -> Y: u8[H/2, W/2, C] { Y[y, x, c] = X[2*y, 2*x, c] }";
    EXPECT_EQ(names(halved),
              "C3: C == 3 and dense(X) and dense(Y); C4: C == 4 and dense(X) and dense(Y); "
              "C1: C == 1 and dense(X) and dense(Y); any: ");
    EXPECT_EQ(names("kernel f(X: u8[H, W, C], P: size) -> Y: u8[H, P, C] { Y[y, x, c] = X[y, x + 4, c] }"),
              "merged: dense(X) and dense(Y); any: ")
        << "merged with their pixels, colours are as many as they like";
    for (const char* text :
         {"kernel f(X: u8[H, C]) -> Y: u8[H/2, C] { Y[y, c] = X[2*y, c] }",                   // no image
          "kernel f(X: u8[H, W, 3]) -> Y: u8[H/2, W/2, 3] { Y[y, x, c] = X[2*y, 2*x, c] }"})  // known
        EXPECT_EQ(names(text).find("C3"), std::string::npos) << text;
}

TEST(Variants, SumsOfColoursAreOfOneThreeOrFour) {
    EXPECT_EQ(names("kernel f(X: u8[H, W, C], w: f32[C]) -> Y: f32 { Y[y, x] += f32(X[y, x, c])*w[c] }").substr(0, 11),
              "C3: C == 3 ");
    for (const char* text :
         {"kernel f(X: f32[P, M, K], B: f32[P, K, N]) -> Y: f32 { Y[p, m, n] += X[p, m, k]*B[p, k, n] }",  // products
          "kernel f(X: f32[N, D]) -> Y: f32 { Y[n] += X[n, d]*X[n, d] }",                                  // no image
          "kernel f(X: f32[H, W, C]) -> Y: f32 { Y[x, c] += X[y, x, c] }"})                                // columns
        EXPECT_EQ(names(text).find("3: "), std::string::npos) << text;
}

TEST(Variants, MixesOfColoursAreOfThreeToThreeOrToGrey) {
    const std::string to_three = "C3_K3: C == 3 and K == 3 and dense(X) and dense(M) and dense(Y); ",
                      to_grey = "C3_K1: C == 3 and K == 1 and dense(X) and dense(M) and dense(Y); ",
                      others = "merged: dense(X) and dense(M) and dense(Y); any: ";
    const std::string all = fmt::format("{}{}{}", to_three, to_grey, others);
    for (const char* text : {"kernel f(X: f32[H, W, C], M: f32[K, C]) -> Y: f32 { Y[y, x, k] += X[y, x, c]*M[k, c] }",
                             "kernel f(X: f32[H, W, C], M: f32[C, K]) -> Y: f32 { Y[y, x, k] += X[y, x, c]*M[c, k] }"})
        EXPECT_EQ(names(text), all) << text;
    EXPECT_EQ(
        names("kernel f(X: f32[H, W, C], M: f32[C, C]) -> Y: f32 { Y[y, x, k] += X[y, x, c]*M[k, c] }").substr(0, 11),
        "C3: C == 3 ");
}

TEST(Variants, RowsOfFewElementsAreReadByVectorsAcrossThemWhereTheyAreDense) {
    EXPECT_EQ(names("kernel f(P: f32[N, 3]) -> C: f32 { C[i] += P[n, i] }"), "dense: dense(P) and dense(C); any: ");
    EXPECT_EQ(names("kernel f(P: f32[N, M, 3]) -> C: f32 { C[i] += P[n, m, i] }"),
              "merged: dense(P) and dense(C); any: ")
        << "merged dims are dense too";
    for (const char* text : {"kernel f(P: f32[N, 8]) -> C: f32 { C[i] += P[n, i] }",  // a vector
                             "kernel f(P: f32[3, N]) -> C: f32 { C[i] += P[i, n] }",  // long rows
                             "kernel f(P: f32[N, D]) -> C: f32 { C[i] += P[n, i] }",  // of any length
                             "kernel f(p: f32[3], X: f32[N]) -> C: f32 { C[i, n] = p[i]*X[n] }"})
        EXPECT_EQ(names(text), "any: ") << text;
}

TEST(Variants, WindowsThatStepByANumberAlongRowsAreReadByVectorsWhereTheyAreDense) {
    EXPECT_EQ(names("kernel f(X: f32[H, W]) -> Y: f32[H/2, W/2] { "
                    "Y[y, x] max= X[2*y + r, 2*x + s] where r in 0:2, s in 0:2 }"),
              "dense: dense(X) and dense(Y); any: ");
    EXPECT_EQ(names("kernel f(X: f32[H, 2*W]) -> Y: f32[H, 2*W] { "
                    "Y[y, x] = X[y, 2*x] where x in 0:W; Y[y, W + x] = X[y, 2*x + 1] where x in 0:W }"),
              "dense: dense(X) and dense(Y); any: ");
    for (const char* text :
         {"kernel f(X: f32[H, W]) -> Y: f32 { Y[y, x] += X[y + r, x + s] where r in 0:2, s in 0:2 }",  // side by side
          "kernel f(X: f32[H, W]) -> Y: f32[H/2, W/2] { Y[y, x] = X[2*y, 2*x] }"})                     // no window
        EXPECT_EQ(names(text).find("dense:"), std::string::npos) << text;
}

TEST(Variants, OfWhatTheKernelHasNotAreRefused) {
    const std::string map = "kernel f(X: f32[H, W], n: size) -> Y: f32 { T[i, j] = X[i + n, j]; Y[i, j] = 2*T[i, j] }";
    const Error size = refusal(map, {.wanted = {facts("Q = 3")}});
    EXPECT_EQ(size.what, "the kernel has no size `Q`, which a fact is about");
    const Error tensor = refusal(map, {.wanted = {facts("dense(T)")}});
    EXPECT_EQ(tensor.what, "the kernel has no input or output `T`, which a fact is about");
    EXPECT_EQ(tensor.fix, "choose among X, Y");
    const Error stride = refusal(map, {.wanted = {facts("stride(T, 0) == 1")}});
    EXPECT_EQ(stride.what, "the kernel has no input or output `T`, which a fact is about");
    const Error dim = refusal(map, {.wanted = {facts("stride(X, 2) == 1")}});
    EXPECT_EQ(dim.what, "`X` has dims 0 to 1, and a fact is about dim 2");
    EXPECT_EQ(dim.fix, "name one of them");
    const Error variant = refusal("kernel f(X: f32[N]) -> Y: f32 { Y[i] = X[i] }", {.only = {"rows"}});
    EXPECT_EQ(variant.what, "the kernel has no variant `rows`");
    EXPECT_EQ(variant.fix, "choose among any");
}

Schedule schedule_of_all(const Kernel& kernel, const VariantWishes& wishes) {
    const Solution open = open_solution(kernel);
    const Leg& leg = *find_leg("avx2");
    Schedule schedule;
    for (const Variant& variant : whole_variants(kernel, open, wishes))
        schedule.push_back(titled(schedule_of(kernel, form_of(kernel, open, variant), variant, leg), kernel, leg));
    return schedule;
}

TEST(Variants, AreWrittenOneAfterTheOtherAndReadBack) {
    const Kernel kernel = kernel_of("kernel f(X: f32[H, W]) -> Y: f32 { Y[i, j] = 2*X[i, j] }");
    const Schedule schedule = schedule_of_all(kernel, {.wanted = {facts("W = 3")}});
    const std::string text = print(schedule);
    EXPECT_EQ(text.substr(0, text.find("\nkey")), "halogen history 2\nkernel f");
    EXPECT_NE(text.find("\n\nvariant W3 when W == 3:\n  knob "), std::string::npos) << text;
    EXPECT_NE(text.find("\n\nvariant merged when dense(X) and dense(Y):\n  merge dims\n  knob "), std::string::npos)
        << text;
    EXPECT_NE(text.find("\n\nvariant any:\n  knob "), std::string::npos) << text;
    const auto read = parse_schedule(text);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read.value(), schedule);
    EXPECT_EQ(schedule_from_json(to_json(schedule)).value(), schedule);
    EXPECT_EQ(only_variant(schedule, "merged").value(), schedule[1]);
    EXPECT_EQ(parse_history(print(schedule[1])).value(), schedule[1]);
}

TEST(Variants, ThatServeEveryCallAloneAreWrittenAsOneHistory) {
    const Kernel kernel = kernel_of("kernel f(X: f32[H, W]) -> Y: f32 { Y[i] += X[i, j]*f32(j) }");
    const std::string text = print(schedule_of_all(kernel, {}));
    EXPECT_TRUE(text.starts_with("halogen history 1\n")) << text;
    EXPECT_EQ(print(parse_schedule(text).value()), text);
}

TEST(Variants, TextsThatAreWrongAreToldWithTheirPlace) {
    const std::pair<const char*, const char*> texts[] = {
        {"halogen history 3\n", "1:18: this history has format 3, known are 1 and 2"},
        {"halogen history 2\n\n", "0:0: this history has no variant"},
        {"halogen history 2\n\nY.0 parallel i\n", "3:1: a variant begins here"},
        {"halogen history 2\n\nvariant any\n", "3:12: expected `:`, found the end of the line"},
        {"halogen history 2\n\nvariant a when N == 3:\nvariant a:\n", "4:10: there are two variants `a`"},
        {"halogen history 2\n\nvariant a when N:\n",
         "3:17: a fact is a relation of sizes, `dense(TENSOR)`, or one of strides"},
        {"halogen history 2\n\nvariant any:\n   Y.0 parallel i\n",
         "4:4: this step is indented by 3 spaces, expected are 2"},
    };
    for (const auto& [text, message] : texts) {
        const auto read = parse_schedule(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(fmt::format("{}:{}: {}", read.error().at.line, read.error().at.column, read.error().what), message);
    }
}

TEST(Variants, AHistoryOfSeveralIsNotOne) {
    const std::string text = "halogen history 2\n\nvariant a when N == 3:\nvariant any:\n";
    const auto one = parse_history(text);
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().what, "the history has several variants: a, any");
    EXPECT_EQ(one.error().fix, "choose one with --variant NAME");
    EXPECT_EQ(only_variant(parse_schedule(text).value(), "b").error().what, "the history has no variant `b`");
}

TEST(Variants, FactsAskNothingAnyMore) {
    const Kernel kernel = kernel_of("kernel f(X: f32[H, W], b: f32[W]) -> Y: f32 { Y[i, j] = b[j]*X[i, j] }");
    const Solution open = open_solution(kernel);
    const Variant variant{"rows", facts("dense(X) and dense(Y) and dense(b)")};
    const History history = schedule_of(kernel, form_of(kernel, open, variant), variant, *find_leg("avx2"));
    const std::string text = print(history);
    EXPECT_EQ(text.find("stride("), std::string::npos) << text;
    EXPECT_NE(text.find("specialize when apart(X, Y) and W >= 16"), std::string::npos) << "what no fact decides\n"
                                                                                       << text;
}

}  // namespace
}  // namespace halogen
