// What compiled kernels compute, equation forms beside those of the built-in kernels: as the interpreter does.

#include "frontend/lower/lower.h"
#include "tests/schedule/run_compiled.h"
#include "tests/schedule/whole_variants.h"

#include <fmt/format.h>

#include <malloc.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace halogen {
namespace {

TEST(Compiled, DimsAreReadByTheirPlaceThoughTheyHaveNames) {
    expect_as_interpreted("kernel k(X: f32[G]) -> Y: f32 { Y[k] = X[X.0 - 1 - k] }", {{"G", 37}});
    expect_as_interpreted("kernel k(X: i32[G, H]) -> Y: i64 { Y[] = X.1*10 + X.0 }", {{"G", 3}, {"H", 5}});
    expect_as_interpreted("kernel k(X: f32[2*G]) -> Y: f32 { Y[i] = X[i] where i < X.0/2 }", {{"G", 3}});
}

TEST(Compiled, TensorsAreGoneOnWithAfterOthersWereMade) {
    const Settings n{{"N", 37}};
    expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32 { Y[n] = X[n]; Q[n] = 2*X[n]; Y[n] = Y[n] + Q[n] }", n);
    expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32 { Y[n] = X[n]; Q[n] = 2*X[n]; Y[n] += Q[n] }", n);
    expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32 { Y[n] = X[n]; Q[n] = 2*Y[n]; Y[n] = Y[n] + Q[n] }", n);
    expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32 { Y[n] = X[n]; Q[n] = 2*Y[n]; Y[n] += Q[n]; Y[n] *= X[n] }",
                          n);
    expect_as_interpreted(
        "kernel k(X: f32[N]) -> (Y: f32, Q: f32) { Y[n] = X[n]; Q[n] = 2*Y[n]; Y[n] += Q[n]; Q[n] += "
        "Y[n]; Y[n] *= Q[n] }",
        n);
    expect_as_interpreted(
        "kernel k(X: f32[N, D], W: f32[D, K], V: f32[K, D]) -> Y: f32 { Y[n, d] = X[n, d]; H[n, k] += "
        "X[n, d]*W[d, k]; A[n, k] = max(H[n, k], 0); Y[n, d] += A[n, k]*V[k, d] }",
        {{"N", 5}, {"D", 17}, {"K", 33}});
}

TEST(Compiled, EquationsOfOneTensorNameTheirIndicesAsTheyLike) {
    const Settings n{{"N", 37}};
    expect_as_interpreted("kernel k(X: f32[N], b: f32[N]) -> Y: f32 { Y[i] = X[i]; Y[j] += b[j] }", n);
    expect_as_interpreted("kernel k(X: f32[N, N], b: f32[N, N]) -> Y: f32 { Y[i, j] = X[i, j]; Y[j, i] += b[i, j] }",
                          n);
    expect_as_interpreted(
        "kernel k(X: f32[N, K], W: f32[M, K], b: f32[M]) -> Y: f32 { Y[i, j] = b[j] where i in 0:N; "
        "Y[m, n] += X[m, k]*W[n, k] }",
        {{"N", 9}, {"K", 17}, {"M", 33}});
    expect_as_interpreted("kernel k(X: f32[N, K]) -> Y: f32 { Y[i] max= X[i, j]; Y[j] += X[j, i] }",
                          {{"N", 9}, {"K", 70}});
    expect_as_interpreted(
        "kernel k(E: f32[4, 5]) -> Y: f32 { Y[r, n] max= 1 where r in 0:5, n in 0:4; Y[k, j] = E[j, 0] "
        "where k in 1:5 }",
        {});
    expect_as_interpreted("kernel k(X: i32[N]) -> Y: i32 { Y[i] = X[i]; Y[j] = Y[j - 1] + X[j] where j in 1:N }", n);
    expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[n] = X[n] where n in 1:N; Y[i] *= 2 }", n);
}

TEST(Compiled, AReducedIndexThatStandsOnlyInItsRangeCounts) {
    for (const int p : {0, 1, 4, 37}) {
        const Settings sizes{{"P", p}, {"N", 19}};
        expect_as_interpreted("kernel k(P: size) -> C: i32 { C[] += 1 where a in 0:P }", {{"P", p}});
        expect_as_interpreted("kernel k(X: f32[N], P: size) -> Y: f32 { Y[i] += X[i] where a in 0:P }", sizes);
        expect_as_interpreted("kernel k(X: f32[N], P: size) -> Y: f32 { Y[] += X[i] where a in 0:P }", sizes);
        expect_as_interpreted("kernel k(X: f32[N], P: size) -> Y: f32 { Y[i] max= X[i] where a in 0:P }", sizes);
        expect_as_interpreted("kernel k(X: f32[N], P: size) -> Y: f32 { Y[i] *= 2 where a in 0:P, X[i] > 0 }", sizes);
        expect_as_interpreted("kernel k(X: i32[N], P: size) -> Y: i32 { Y[i] += X[i] where a in 0:P, a != 1 }", sizes);
    }
}

TEST(Compiled, SizesOfInputsThatAreWalkedAsOneDimAreKnownElsewhere) {
    const Settings sizes{{"N", 3}, {"M", 5}};
    expect_as_interpreted("kernel k(X: f32[N, M]) -> (Y: f32, Z: f32[N + 2]) { Y[i, j] = 2*X[i, j]; Z[k] = 1 }", sizes);
    expect_as_interpreted("kernel k(X: f32[N, M]) -> Z: f32[2*M] { Z[k] = 1 }", sizes);
    expect_as_interpreted(
        "kernel k(X: f32[N, M], b: f32[M]) -> (Y: f32, Z: f32) { Y[i, j] = 2*X[i, j]; Z[k] = b[k] + 1 }", sizes);
}

TEST(Compiled, PlacesThatNumbersTellApartAreWrittenOnce) {
    expect_as_interpreted("kernel k(T: size) -> Y: i32[T + 6, 3] { Y[i, i16(s)] = i + s where s in 0:3 }", {{"T", 1}});
    expect_as_interpreted("kernel k(X: f32[N, 4]) -> Y: f32[N, 7] { Y[i, 3*s%7] = X[i, s] where s in 0:4 }",
                          {{"N", 5}});
}

TEST(Compiled, PlacesOfCastsAreWholeNumbersWithoutAType) {
    expect_as_interpreted("kernel k(X: f32[N]) -> Y: f32[4] { Y[i] = X[i32(i)/2 + i16(i)%2] where i in 0:4 }",
                          {{"N", 5}});
    expect_as_interpreted(
        "kernel k(X: f32[N]) -> Y: f32[4] { Y[i] += X[u8(i) - (x + i) + 2] where i in 0:4, x in 0:2 }", {{"N", 5}});
}

TEST(Compiled, PlacesByDataOfAnEquationWithoutPointsAreNotLookedAt) {
    const Tensors outside{{"I", values(Type::i32, {2}, {7, -1})}};
    const char* const text = "kernel k(X: i32[N], I: i32[M]) -> Y: i32[3] { Y[I[m]] += X[n] }";
    expect_as_interpreted(text, {{"N", 0}, {"M", 2}}, outside);
    const Kernel kernel = parse(text).value().kernels.at(0);
    EXPECT_THROW(compiled_outputs(kernel, call_of(kernel, {{"N", 1}, {"M", 2}}, outside)), Failure);
    // Two points that meet, of none: nor are they.
    const Tensors meeting{{"I", values(Type::i32, {2}, {1, 1})}};
    const char* const assigned = "kernel k(X: i32[N], I: i32[M]) -> Y: i32[3, N] { Y[I[m], n] = X[n] }";
    expect_as_interpreted(assigned, {{"N", 0}, {"M", 2}}, meeting);
}

TEST(Compiled, PredicatesAloneMayNameAReducedIndexOfAScatter) {
    const Tensors places{{"U", values(Type::i64, {3}, {1, 0, 0})}};
    for (const char* where : {"3*a == n", "3*a <= n", "a != n", "a > 1"})
        expect_as_interpreted(
            "kernel k(U: i64[K], X: f64[K]) -> T: f64[K, 4] { T[k, u] = X[k]; T[U[0], n] += 2 where a in 0:5, " +
                std::string(where) + " }",
            {{"K", 3}}, places);
}

TEST(Compiled, DataInAPredicateIsCheckedAtEveryPoint) {
    const char* text = "kernel k(F: i32[N], B: u8[M]) -> J: i32 { J[] += 5 where F[B[u]] != F[0] }";
    const Kernel kernel = parse(text).value().kernels.at(0);
    const CallData data = call_of(kernel, {{"N", 2}, {"M", 3}},
                                  {{"F", values(Type::i32, {2}, {3, 3})}, {"B", values(Type::u8, {3}, {0, 1, 7})}});
    const auto outputs = guarded([&] { return compiled_outputs(kernel, data); });
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().what, "`B[u]` is 7 at u = 2, outside [0, 2) of dim 0 of `F`");
    expect_as_interpreted("kernel k(F: i32[N], B: u8[M]) -> J: i32 { J[] += 5 where B[u] < 2, F[B[u]] != F[0] }",
                          {{"N", 2}, {"M", 3}}, {{"B", values(Type::u8, {3}, {0, 1, 7})}});
}

TEST(Compiled, LetsStandForTheirValues) {
    expect_as_interpreted("kernel k(X: f32[N, D]) -> Y: f32 { let s = 1/sqrt(f32(D)); Y[i, j] = X[i, j]*s }",
                          {{"N", 5}, {"D", 19}});
    expect_as_interpreted("kernel k(X: f64[N], a: f64) -> Y: f64 { let b = 2*a; let c = b + 0.25; Y[i] = c*X[i] - b }",
                          {{"N", 19}});
    expect_as_interpreted(
        "kernel k(X: f32[N]) -> Y: f32 { let h = N/4; let Q = h + 1; Y[i] = X[i + h]*Q where i in 0:h; "
        "Y[i] += Q where i in 0:Q }",
        {{"N", 37}});
}

TEST(Compiled, IntermediatesThatAreDeclaredMayBePadded) {
    for (const char* outside : {"else 0", "else 2.5", "else edge", "else reflect", "else wrap", "else lowest"})
        expect_as_interpreted(std::string("kernel k(X: f32[H, W]) -> Y: f32 { tmp V: f32[H, W pad 1] ") + outside +
                                  "; V[y, x] = 2*X[y, x]; Y[y, x] max= V[y, x + r - 1] where r in 0:3, x in 0:W }",
                              {{"H", 5}, {"W", 37}});
    expect_as_interpreted(
        "kernel k(X: f32[H, W]) -> Y: f32 { tmp V: f32[H + 2, W pad (1, 2)]; V[y + 1, x] = X[y, x]; "
        "Y[y, x] += V[y + r, x + s - 1] where r in 0:3, s in 0:4, x in 0:W, y in 0:H }",
        {{"H", 5}, {"W", 37}});
    expect_as_interpreted(
        "kernel k(X: i32[N]) -> Y: i32 { tmp S: i32[]; S[] += X[i]; tmp V: i32[N pad 3] else edge; "
        "V[i] = X[i]; V[i] += S[]; Y[i] = V[i - 3] + V[i + 3] where i in 0:N }",
        {{"N", 19}});
}

TEST(Compiled, TensorsWithPadsReadTheElementThatTheyWrite) {
    expect_as_interpreted(
        "kernel k(X: i32[N, N]) -> Y: i32[N pad 1, N] { Y[i, j] = X[i, j]; Y[a, b] = 2*Y[a, b] + Y[a, b - 1] where b "
        "in 1:N }",
        {{"N", 19}});
    expect_as_interpreted(
        "kernel k(X: f32[N]) -> Y: f32 { tmp V: f32[N pad 2] else edge; V[i] = X[i]; V[j] = V[j]*V[j]; "
        "Y[i] += V[i + r - 2] where r in 0:5, i in 0:N }",
        {{"N", 19}});
    expect_as_interpreted(
        "kernel k(X: i32[N]) -> Y: i32[N pad 1] { Y[i] = X[i]; Y[i] = Y[i] + Y[i - 1] where i in 0:N }", {{"N", 19}});
}

TEST(Compiled, LowestOfWideIntegersIsNotComputedWith) {
    for (const char* sizes : {"i32", "i64"})
        expect_as_interpreted(std::string("kernel k(F: ") + sizes + "[N, M], V: bool[K, N]) -> Q: " + sizes +
                                  " { Q[s] max= 3 + F[s, 1] where V[c, j]; Q[s] min= F[s, 0] - 3 where s > 1 }",
                              {{"N", 7}, {"M", 4}, {"K", 3}});
}

TEST(Compiled, PaddingIsNeverWritten) {
    expect_as_interpreted("kernel k(V: f64[N]) -> I: f64[6 pad (2, 1)] { I[k + 2] *= V[2] }", {{"N", 5}});
    const Kernel kernel =
        parse("kernel k(V: f64[N], D: i32[N]) -> I: f64[6 pad (2, 1)] { I[D[k]] += V[k] }").value().kernels[0];
    for (const int outside : {6, -1}) {
        const CallData data = call_of(kernel, {{"N", 3}}, {{"D", values(Type::i32, {3}, {0., 1.0 * outside, 3.})}});
        const auto outputs = guarded([&] { return compiled_outputs(kernel, data); });
        ASSERT_FALSE(outputs);
        EXPECT_EQ(outputs.error().what,
                  "`I` would be written at " + std::to_string(outside) + " in dim 0, which has extent 6");
    }
    EXPECT_EQ(
        solve(parse("kernel k(X: f32[N]) -> Y: f32[N pad 1] { Y[i + 1] = X[i] where i in 0:N }").value().kernels[0])
            .error()
            .kind,
        ErrorKind::contradictory);
}

TEST(Compiled, ASingleNumberStandsBesideAWindow) {
    expect_as_interpreted(
        "kernel k(X: f32[N], W: f32[M, N]) -> Y: f32 { P[j] max= X[j + r] where r in 0:3; "
        "Y[i, j] max= W[i + s, j + t] + P[j] where s in 0:3, t in 0:3 }",
        {{"N", 37}, {"M", 9}});
    expect_as_interpreted(
        "kernel k(X: f32[N], W: f32[M, N]) -> Y: f32 { P[] max= X[j + r] where r in 0:3, j in 0:4; "
        "Y[i, j] max= W[i + s, j + t] + P[] where s in 0:3, t in 0:3 }",
        {{"N", 37}, {"M", 9}});
    expect_as_interpreted("kernel k(B: i64[], Z: i64[N]) -> O: i64 { O[j] min= min(Z[j], B[]) where k in 0:7 }",
                          {{"N", 19}});
    expect_as_interpreted("kernel k(B: f32[], X: f32[N]) -> Y: f32 { Y[i] += X[i + r]*B[] where r in 0:3 }",
                          {{"N", 37}});
    expect_as_interpreted(
        "kernel k(B: f32[], X: f32[N, M]) -> Y: f32 { Y[i, j] max= X[i + r, j + s] + B[] where r in 0:3, s in 0:3 }",
        {{"N", 9}, {"M", 37}});
}

TEST(Compiled, ConditionsOfAKernelAreChecked) {
    const char* const text =
        "kernel k(X: f32[N], R: size = 3) -> Y: f32 where N % 4 == 0, 1 <= R, R != 5 { Y[i] += X[i + r] "
        "where r in 0:R }";
    expect_as_interpreted(text, {{"N", 36}});
    expect_as_interpreted(text, {{"N", 36}, {"R", 1}});
    const Kernel kernel = parse(text).value().kernels[0];
    for (const auto& [n, r, what] : {std::tuple{37, 3, "the condition `N % 4 == 0` does not hold"},
                                     std::tuple{36, 5, "the condition `R != 5` does not hold"}}) {
        CallData data = call_of(kernel, {{"N", 36}, {"R", 1}});
        data.numbers.sizes["N"] = n;
        data.numbers.sizes["R"] = r;
        data.inputs["X"] = HostTensor(Type::f32, {n});
        const auto checked = guarded([&] { return Executor(kernel, choose_leg(""), {}).check_guards(data), true; });
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().what, what);
    }
}

TEST(Compiled, ASizeLeftOpenIsNotTakenForGiven) {
    expect_as_interpreted("kernel k(X: f32[N], D: size) -> (I: f32[D], O: f32) { O[u] = X[u/2]; I[a] = 1 }",
                          {{"N", 5}, {"D", 3}});
}

TEST(Compiled, DataChoosesPlacesOfPaddedTensors) {
    expect_as_interpreted("kernel k(E: u32[H pad (1, 0), W], G: i8[M]) -> Y: u32 { Y[i] = E[G[i]%3, 0] }",
                          {{"H", 4}, {"W", 2}, {"M", 9}});
    expect_as_interpreted(
        "kernel k(E: i32[H pad 2] else edge, G: i64[M]) -> Y: i32 { Y[i] = E[G[i]%4 - 1] where i != 3 }",
        {{"H", 4}, {"M", 9}});
}

TEST(Compiled, PlacesFromDataAreCheckedInRangesThatDoNotBeginAt0) {
    const std::string gather = "kernel k(B: f32[N], E: i32[H]) -> I: f32[H] { I[v] = B[E[v]] where v in 1:H }";
    expect_as_interpreted(gather, {{"N", 3}, {"H", 4}}, {{"E", values(Type::i32, {4}, {9, 2, 0, 1})}});
    const Kernel kernel = parse(gather).value().kernels.at(0);
    const CallData data = call_of(kernel, {{"N", 3}, {"H", 4}}, {{"E", values(Type::i32, {4}, {0, 2, 3, 1})}});
    const auto outputs = guarded([&] { return compiled_outputs(kernel, data); });
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().what, "`E[v]` is 3 at v = 2, outside [0, 3) of dim 0 of `B`");
}

TEST(Compiled,
     PlacesFromDataAreCheckedBesideAPredicateThatReadsPadding) {  // Halide computed with what stands for "none"
    expect_as_interpreted(
        "kernel k(U: f32[R], F: i32[R], E: i32[C pad (1, 2)] else 0) -> J: f32 { "
        "J[1] += U[F[u]] where s in 0:7, 1 <= E[s + 2] }",
        {{"R", 3}, {"C", 7}}, {{"F", values(Type::i32, {3}, {2, 0, 1})}});
}

TEST(Compiled, PlacesFromDataThatAPredicateKeepsInsideAreNotCheckedOnceMore) {
    const Tensors given{{"I", values(Type::i32, {5}, {2, -1, 3, 0, 7})}};
    const auto checks = [](const std::string& where) {
        const std::string text = "kernel k(I: i32[M], N: size = 4) -> H: i32[N] { H[I[n]] += 1 where " + where + " }";
        const Kernel kernel = parse(text).value().kernels.at(0);
        return lower_checks(kernel, solve(kernel, {{"N", std::nullopt}}).value()).has_value();
    };
    for (const char* where : {"I[n] >= 0, I[n] < N", "0 <= I[n] and N - 1 >= I[n]", "I[n] > -1, I[n] < N - 1"}) {
        EXPECT_FALSE(checks(where)) << where;
        expect_as_interpreted(
            fmt::format("kernel k(I: i32[M], N: size) -> H: i32[N] {{ H[I[n]] += 1 where {} }}", where),
            {{"M", 5}, {"N", 4}}, given);
    }
    for (const char* where : {"I[n] >= 0", "I[n] >= -1, I[n] < N", "I[n] >= 0, I[n] <= N", "I[n] >= 0 or I[n] < N",
                              "I[n] >= 0, I[n + 0] < M"})
        EXPECT_TRUE(checks(where)) << where;
}

TEST(Compiled, ConstantPlacesMayLieInThePadding) {
    expect_as_interpreted("kernel k(X: f32[N pad 2] else 3) -> Y: f32 { Y[i] = X[i] + X[-1] }", {{"N", 5}});
    expect_as_interpreted("kernel k(X: f32[N pad 2] else wrap) -> Y: f32 { Y[] = X[-2] + X[N + 1] }", {{"N", 5}});
    expect_as_interpreted("kernel k(X: f32[N pad 2] else 3) -> Y: f32 { Y[i] = X[-1] where i in 0:4 }", {{"N", 5}});
}

TEST(Compiled, OneElementOfAnIntermediateMayBeAllThatIsRead) {  // its vectors have one lane that counts
    const Settings sizes{{"N", 5}, {"M", 3}};
    for (const char* op : {"=", "+=", "min="})
        expect_as_interpreted("kernel k(X: u32[N], B: u32[M]) -> O: u32 { Y[0, u] " + std::string(op) +
                                  " X[u]; O[n] += B[n]; O[v] = Y[0, 2] }",
                              sizes);
}

TEST(Compiled, APlaceFixedInADimWithoutElementsIsNotLookedAt) {
    const Settings none{{"L", 0}, {"N", 5}};
    expect_as_interpreted("kernel k(X: i32[N], A: u8[L]) -> Y: i32 { Y[0] = X[A[0]] }", none);
    expect_as_interpreted("kernel k(X: i32[N, N], A: u8[N], Z: u8[L]) -> Y: i32 { Y[0, i] += X[A[i], i] + i32(Z[0]) }",
                          none, {{"A", values(Type::u8, {5}, {9, 0, 1, 0, 9})}});
}

TEST(Compiled, PlacesHeldBackInARowShorterThanAVectorAskForNoMore) {
    const Settings one{{"N", 1}, {"M", 7}};
    expect_as_interpreted("kernel k(X: u16[N pad (0, 1), N]) -> Y: u16 { Y[] += X[c, i] where c in 0:3 }", {{"N", 2}});
    expect_as_interpreted("kernel k(X: u8[M, N pad 2]) -> Y: u8 { Y[t] += X[t, l] - X[3, t] where t in 0:3 }", one);
    expect_as_interpreted("kernel k(X: u8[M, N pad (1, 2)]) -> Y: u8[M, M] { Y[i, j] += X[i, min(j, 2)] + X[i, s] }",
                          one);
    expect_as_interpreted(
        "kernel k(E: i32[N], Z: u8[M, N], V: i8[M]) -> (Q: u8, Y: u8) {"
        " Q[s] = u8(E[s]); Y[] += min(Z[v, j], Q[V[v]]) where Z[v, j] > 3 }",
        {{"N", 2}, {"M", 5}}, {{"V", values(Type::i8, {5}, {0, 1, 0, 1, 1})}});
}

TEST(Compiled, ArithmeticOnWhatLiesBeyondTheEdgesMayNotBeReached) {
    for (const std::string type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "f16", "bf16", "f32", "f64"})
        for (const auto& [mode, op] : {std::pair{"lowest", "max="}, std::pair{"highest", "min="}}) {
            const std::string head =
                fmt::format("kernel k(X: {0}[N pad 1] else {1}) -> Y: {0} {{ Y[i] {2}", type, mode, op);
            expect_as_interpreted(head + " X[i + r - 1] where i in 0:N, r in 0:3 }", {{"N", 37}});
            expect_as_interpreted(head +
                                      " select(i + r < 1 or i + r > N, X[i + r - 1], X[i + r - 1]/2 + 1) where i in "
                                      "0:N, r in 0:3 }",
                                  {{"N", 37}});
        }
    const std::string shifted = "{ Y[i] = select(i < N, X[i] - 1, 0) + select(i < N, X[i] + 1, 0) where i in 0:N }";
    for (const char* mode : {"lowest", "highest", "-2147483648", "2147483647"})
        for (const char* type : {"i32", "i64"})
            expect_as_interpreted(
                std::string("kernel k(X: ") + type + "[N pad 1] else " + mode + ") -> Y: " + type + shifted,
                {{"N", 9}});
}

TEST(Compiled, WhatIsComparedMayBeAnyNumber) {
    constexpr double lowest = std::numeric_limits<std::int32_t>::min(),
                     highest = std::numeric_limits<std::int32_t>::max();
    const double far = std::ldexp(1.0, 63), near = std::ldexp(1.0, 62);
    const std::map<std::string, HostTensor> data{
        {"i32", values(Type::i32, {6}, {lowest, highest, lowest + 1, highest - 1, 3, 50})},
        {"i64", values(Type::i64, {6}, {-far, far - 1024, near, -near, 3, 50})}};
    for (const auto& [type, numbers] : data)
        for (const char* equation :
             {"Y[i] += X[i, j] where j in 40:N, S[i] <= j", "Y[i] += X[i, j] where j in 40:N, not (S[i] > j)",
              "Y[i] = select(S[i] < i - M, X[i, 0], X[i, 1])", "Y[i] = select(i + M >= S[i], X[i, 0], X[i, 1])",
              "Y[i] += X[i, j] where S[i] < N - M", "Y[i] += X[i, j] where S[i] > M - N",
              "Y[i] max= X[i, j] where S[i] == j - M", "Y[j] += X[i, j] where j - 9 < S[i], S[i] <= N - 1"})
            for (const int columns : {41, 47, 58, 100})
                expect_as_interpreted(
                    fmt::format("kernel k(X: f32[6, N], S: {}[6], M: size) -> Y: f32 {{ {} }}", type, equation),
                    {{"N", columns}, {"M", 7}}, {{"S", numbers}});
}

TEST(Compiled, PaddingThatAPredicateReadsCounts) {
    for (const std::string mode : {"0", "2", "edge", "wrap", "reflect", "lowest", "highest"})
        for (const std::string op : {"+=", "max=", "min="}) {
            const std::string head =
                fmt::format("kernel k(X: i8[H pad (1, 3), W] else {}, Z: i32[H]) -> Y: i32 {{ Y[v, i] {}", mode, op);
            expect_as_interpreted(head + " 1 where b in 0:3, X[b + v, i] <= 1 }", {{"H", 9}, {"W", 8}});
            expect_as_interpreted(head + " Z[v] where v in 0:H, b in 0:3, X[b + v, i] > 0 }", {{"H", 9}, {"W", 37}});
            expect_as_interpreted(head + " i32(X[b + v, i]) where b in 0:3, X[b + v, i] <= 1 }", {{"H", 9}, {"W", 8}});
        }
}

TEST(Compiled, ScalarsMayHaveNamesThatCompilersUse) {
    for (const std::string name :
         {"t0", "t1",  "t2",  "t3",      "a0",     "b0",    "v0",  "i_o",     "i_v",  "j_o",    "x",
          "r",  "int", "out", "Y_value", "first0", "check", "v_o", "select_", "this", "buffer", "halide_error"})
        expect_as_interpreted(fmt::format("kernel k(X: f32[M, N], {0}: f32) -> Y: f32 {{ S[i] += X[i, j]; "
                                          "Y[i, j] = exp(X[i, j]/S[i]) + S[i]*{0} + tanh(X[i, j]*S[i]) + {0} }}",
                                          name),
                              {{"M", 5}, {"N", 37}});
}

TEST(Compiled, GatesOfOneProductAreReadApart) {
    expect_as_interpreted(
        "kernel k(X: f32[B, I], W: f32[4, U, I], b: f32[4, U]) -> Y: f32 { G[n, g, u] = b[g, u]; "
        "G[n, g, u] += X[n, i]*W[g, u, i]; Y[n, u] = tanh(G[n, 0, u]) + G[n, 3, u] }",
        {{"B", 5}, {"U", 9}, {"I", 12}});
}

TEST(Compiled, AnEmptyTensorHasNoGaps) {
    const Kernel kernel = parse(
                              "kernel k(V: f32[L, 0, L], g: f32) -> I: f32 { I[] += g; I[] += min(g, V[3 - b, t, m]) "
                              "where b in 0:4 }")
                              .value()
                              .kernels.front();
    const CallData data = call_of(kernel, {{"L", 5}});
    for (const Variant& variant : whole_variants(kernel, solve(kernel, {{"L", std::nullopt}}).value())) {
        SCOPED_TRACE(variant.name);
        const Executor executor(kernel, choose_leg(""), {}, variant);
        Tensors outputs = executor.make_outputs(data);
        executor.prepare(data, outputs)();
        verify(kernel, data, outputs);
    }
}

/// The loop over tasks goes round one loop of the number and the size together.
TEST(Compiled, ANumberMayStandOutsideASize) {
    expect_as_interpreted("kernel k(A: f32[2000, K], B: f32[K, N]) -> C: f32[2000, N] { C[m, n] += A[m, k]*B[k, n] }",
                          {{"K", 5}, {"N", 65}});
    expect_as_interpreted(
        "kernel k(A: f32[G, 7, K], B: f32[G, K, N]) -> C: f32[G, 7, N] { C[b, m, n] += A[b, m, k]*B[b, k, n] }",
        {{"G", 5}, {"K", 16}, {"N", 64}});
    expect_as_interpreted(
        "kernel k(A: f32[33, M, K], B: f32[33, K, N]) -> C: f32[33, M, N] { C[b, m, n] += A[b, m, k]*B[b, k, n] }",
        {{"M", 7}, {"K", 16}, {"N", 64}});
}

/// Halide's own checks are on here: a region that it cannot bound is an error, though nothing outside would be read.
TEST(Compiled, ImagesWithChannelsFirstInEveryVariant) {
    const std::string conv =
                          "kernel k(X: f32[N, C, H pad P, W pad P] else 0, F: f32[C, R, S], T: size = 1, P: size = 0) "
                          "-> Y: f32[N, C, OH, OW] { Y[n, c, y, x] += X[n, c, T*y + r - P, T*x + s - P]*F[c, r, s] }",
                      pool =
                          "kernel k(X: f32[N, C, H pad P, W pad P] else lowest, R: size = 2, T: size = 2, P: size = 0) "
                          "-> Y: f32[N, C, OH, OW] { "
                          "Y[n, c, y, x] max= X[n, c, T*y + r - P, T*x + s - P] where r in 0:R, s in 0:R }";
    const Settings filter{{"R", 3}, {"S", 3}}, window{{"R", 3}};
    for (const auto& [text, given] : {std::pair{conv, filter}, {pool, window}}) {
        SCOPED_TRACE(text);
        const Kernel kernel = parse(text).value().kernels.front();
        Settings open;
        for (const SizeParam& size : kernel.sizes) open[size.name] = std::nullopt;
        for (const Variant& variant : whole_variants(kernel, solve(kernel, open).value())) {
            SCOPED_TRACE(called(variant));
            Settings sizes{{"N", 2}, {"C", 3}, {"H", 37}, {"W", 21}, {"P", 1}, {"T", 3}};
            sizes.insert(given.begin(), given.end());
            for (const auto& [name, value] : sizes_in(variant.when)) sizes[name] = value;
            const Executor executor(kernel, choose_leg(""), {}, variant);
            expect_as_interpreted(executor, kernel, sizes);
        }
    }
}

TEST(Compiled, FewColoursByFewFiltersAroundTheEdgesOfTiles) {
    for (const int filters : {1, 3, 4, 8})
        for (const char* rest :
             {"5 pad 2, 5 pad 2, 1] else 0", "H pad 1, W pad 2, 3] else 0", "H pad 1, W pad 2, 2] else edge"}) {
            const std::string colours(1, std::string(rest)[std::string(rest).find(']') - 1]);
            const std::string text = fmt::format(
                "kernel k(X: f32[N, {}, F: f32[3, 5, {}, {}]) -> Y: f32 {{ "
                "Y[n, y, x, k] += X[n, y + r - 1, x + s - 2, c]*F[r, s, c, k] }}",
                rest, colours, filters);
            const Kernel kernel = parse(text).value().kernels.front();
            const Executor executor(kernel, choose_leg(""), {});
            SCOPED_TRACE(text);
            for (const auto& [h, w] : {std::pair{1, 1}, {3, 15}, {4, 16}, {9, 33}})
                expect_as_interpreted(executor, kernel,
                                      rest[0] == '5' ? Settings{{"N", 3}} : Settings{{"N", 2}, {"H", h}, {"W", w}});
        }
}

TEST(Compiled, ImagesOfAnyNumberOfColoursInEveryVariant) {
    for (const std::string text :
         {"kernel k(X: u8[H, W, C]) -> Y: u8[2*H, 2*W, C] { Y[y, x, c] = X[y/2, x/2, c] }",
          "kernel k(X: f32[H pad 1, W pad 1, C] else edge, S: f32[C]) -> Y: f32[H, W, C] { "
          "Y[y, x, c] = S[c]*(X[y + 1, x - 1, c] - X[y, W - 1 - x, c]) }",
          "kernel k(X: u8[H, W, C], S: f32[C]) -> (Y: f32[H, W]) { Y[y, x] += f32(X[y, x, c])*S[c] }",
          "kernel k(X: u8[H, W, C], M: f32[H, W]) -> (Y: u8[H, W, C], Z: f32[H, W, C]) { "
          "Y[y, x, c] = u8(f32(X[y, x, c])*M[y, x]); Z[y, x, c] = f32(Y[y, x, c]) + f32(c) }"}) {
        SCOPED_TRACE(text);
        const Kernel kernel = parse(text).value().kernels.front();
        const std::vector<Variant> variants = whole_variants(kernel, solve(kernel, {}).value());
        EXPECT_EQ(variants.front().name, "C3");
        for (const Variant& variant : variants) {
            SCOPED_TRACE(called(variant));
            const Executor executor(kernel, choose_leg(""), {}, variant);
            for (const int w : {1, 15, 33}) {
                Settings sizes{{"H", 7}, {"W", w}, {"C", 5}};
                for (const auto& [name, value] : sizes_in(variant.when)) sizes[name] = value;
                expect_as_interpreted(executor, kernel, sizes);
            }
        }
    }
}

TEST(Compiled, WindowsOfPixelsWithAnyNumberOfColours) {
    std::vector<std::string> texts{
        "kernel k(X: u8[H, W, C]) -> Y: u8 { S[y, x, c] += u16(X[y + r, x + s, c]) where r in 0:3, s in 0:3; "
        "Y[y, x, c] = u8(S[y, x, c]/9) }",
        "kernel k(X: f32[N, H, W, C], K: f32[R, S]) -> Y: f32 { Y[n, y, x, c] += X[n, y + r, x + 2*s, c]*K[r, s] }",
        "kernel k(X: i32[H, W, C], P: size) -> Y: i32[H, P, C] { Y[y, x, c] = X[y, x + 1, c]*i32(C) + i32(W) }",
        "kernel k(X: f32[H, W pad (1, 2), C] else highest) -> Y: f32 { Y[y, x, c] min= X[y, x + s - 1, c] where s in "
        "0:4 }"};
    for (const char* mode : {"edge", "reflect", "symmetric", "wrap", "-3"})
        texts.push_back(
            fmt::format("kernel k(X: i16[H pad 1, W pad (2, 1), C] else {}) -> Y: i16 {{ "
                        "Y[y, x, c] = X[y - 1, x - 2, c] + 3*X[y, x, c] - X[y + 1, x + 1, c] }}",
                        mode));
    for (const std::string& text : texts) {
        SCOPED_TRACE(text);
        const Kernel kernel = parse(text).value().kernels.front();
        Settings open;
        for (const SizeParam& size : kernel.sizes) open[size.name] = std::nullopt;
        const std::vector<Variant> variants = whole_variants(kernel, solve(kernel, open).value());
        ASSERT_EQ(variants.size(), 2U);
        const Executor executor(kernel, choose_leg(""), {}, variants.front());
        for (const int w : {5, 16, 33})
            for (const int c : {1, 2, 3, 7}) {
                SCOPED_TRACE(fmt::format("W = {}, C = {}", w, c));
                Settings sizes{{"H", 7}, {"W", w}, {"C", c}};
                if (kernel.tensor("X").rank == 4) sizes["N"] = 2;
                if (kernel.find_tensor("K")) sizes["R"] = 3, sizes["S"] = 2;
                if (kernel.find_size("P")) sizes["P"] = w - 2;
                expect_as_interpreted(executor, kernel, sizes);
            }
    }
}

/// Memory that nobody wrote holds numbers far outside.
TEST(Compiled, WholeTilesReadNothingOutsideByDataPastTheirEnds) {
    const Kernel kernel = parse(
                              "kernel k(B: i32[_, K, L], U: i32[3, _]) -> Y: i32 { Y[b, y] += select(1 <= f32(5), 1, "
                              "B[b, 0, 3] + B[y, y, U[y, c]]) }")
                              .value()
                              .kernels.front();
    const Settings sizes{{"B.0", 3}, {"K", 3}, {"L", 16}, {"U.1", 7}};
    mallopt(M_PERTURB, 85);
    for (const Variant& variant : whole_variants(kernel, solve(kernel, {}).value())) {
        expect_as_interpreted(Executor(kernel, choose_leg(""), {}, variant), kernel, sizes);
        expect_as_interpreted(Executor(kernel, choose_leg(""), {}, variant, call_of(kernel, sizes), 2), kernel, sizes);
    }
    mallopt(M_PERTURB, 0);
}

TEST(Compiled, WholeTilesAskAVersionBeforeThemForNoMoreThanItHas) {
    const Kernel kernel =
        parse(
            "kernel k(V: u32[W, 4, W]) -> (O: u32[W - 1, W], Y: u32[W - 1, S, L]) { O[k, y] = V[y, 1, 1]; "
            "Y[k, t, y] = O[0, 0]; O[t, r] *= Y[t, b, 0] + V[r, b, r] }")
            .value()
            .kernels.front();
    const Executor executor(kernel, choose_leg(""), {});
    for (const int w : {2, 3, 17, 40}) expect_as_interpreted(executor, kernel, {{"W", w}, {"S", 4}, {"L", 4}});
}

TEST(Compiled, RowsThatSumsBeginWithAreRowsToo) {
    // A product of many rows is none of few, whatever else it reads of them.
    const Kernel kernel = parse(
                              "kernel k(A: f32[I, J], B: f32[J, L], D: f32[I, L]) -> Y: f32 { Y[i, l] = D[i, l]; "
                              "Y[i, l] += A[i, j]*B[j, l] }")
                              .value()
                              .kernels.front();
    const Variant variant = whole_variants(kernel, solve(kernel, {}).value()).back();
    const std::string text =
        print(recipe_of(form_of(kernel, solve(kernel, {}).value(), variant), variant, *find_leg("avx512"), {}));
    EXPECT_NE(text.find("twin -> Y_value_few when stride(D, 1) == 1 and stride(B, 1) == 1 and 8 >= I and L >= 16"),
              std::string::npos)
        << text;
}

TEST(Compiled, PredicatesOfPlacesFromDataWithoutALoop) {
    const Tensors inside{{"X", values(Type::i16, {2}, {0, 3})}}, outside{{"X", values(Type::i16, {2}, {0, 9})}};
    const std::string head = "kernel k(X: i16[L], B: f32[H]) -> Y: f32[H, 7] { ";
    expect_as_interpreted(head + "Y[b, X[1]] += B[b] where (b + 3)%5 >= 3 }", {{"L", 2}, {"H", 9}}, inside);
    for (const Tensors& given : {inside, outside})
        expect_as_interpreted(head + "Y[b, X[1]] = B[b] where X[1] < 7, b > 1 }", {{"L", 2}, {"H", 9}}, given);
}

TEST(Compiled, MatricesThatAreReadByDataTooAreNotCopied) {
    expect_as_interpreted(
        "kernel k(U: f32[C, K], V: f32[M, K], I: i32[M]) -> Y: f32 { Y[i, j] += V[i, k]*U[j, k]*U[I[i], k] }",
        {{"M", 4}, {"C", 40}, {"K", 9}}, {{"I", values(Type::i32, {4}, {1, 39, 0, 7})}});
    expect_as_interpreted(
        "kernel k(U: f32[K, C], V: f32[M, K], I: u16[K]) -> Y: f32 { Y[i, j] += V[i, k]*U[k, j]*U[I[k] + 1, 2] }",
        {{"M", 40}, {"C", 33}, {"K", 4}}, {{"I", values(Type::u16, {4}, {1, 2, 0, 0})}});
}

}  // namespace
}  // namespace halogen
