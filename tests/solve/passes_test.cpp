// Each pass of the solver by itself: what it takes, what it gives, what it refuses.

#include "frontend/solve/backward.h"
#include "frontend/solve/collisions.h"
#include "frontend/solve/constraints.h"
#include "frontend/solve/definitions.h"
#include "frontend/solve/equalities.h"
#include "frontend/solve/extents.h"
#include "frontend/solve/failure.h"
#include "frontend/solve/fewer_guards.h"
#include "frontend/solve/given.h"
#include "frontend/solve/guard_list.h"
#include "frontend/solve/guards.h"
#include "frontend/solve/inputs.h"
#include "frontend/solve/names.h"
#include "frontend/solve/pins.h"
#include "frontend/solve/settings.h"
#include "frontend/solve/undetermined.h"
#include "frontend/solve/upper.h"
#include "tests/solve/solved.h"

#include <gmock/gmock.h>

namespace halogen {
namespace {

using test::kernel_of;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr const char* conv1d = "Y[y] += X[y + r]*F[r]";

/// A kernel with its model, which sizes point into: it lives as long as they do.
struct Solving {
    explicit Solving(const std::string& text) : kernel(kernel_of(text)), model(kernel) {}

    Sizes named() const { return name_sizes(model); }
    Sizes pinned(const Settings& known = {}) const { return pin_indices(apply_settings(named(), known, {}), known); }
    Sizes constrained(const Settings& known = {}) const { return add_constraints(open_inputs(pinned(known))); }
    Sizes determined(const Settings& known = {}) const { return determine(find_definitions(constrained(known))); }

    Kernel kernel;
    KernelModel model;
};

std::string value(const Sizes& s, const std::string& name) {
    const auto& v = s.classes.value(name);
    return v ? print(s.resolve(*v)) : "open";
}

std::vector<std::string> slacks(const Sizes& s) {
    std::vector<std::string> texts;
    for (const Constraint& c : s.constraints) texts.push_back(print(s.resolve(c.slack)));
    return texts;
}

std::vector<std::string> guards(const std::vector<Guard>& list) {
    std::vector<std::string> texts;
    for (const Guard& g : list) texts.push_back(print(g));
    return texts;
}

std::string refusal(const std::function<Sizes()>& pass) {
    try {
        pass();
    } catch (const Failure& failure) {
        return failure.error().what;
    }
    return "none";
}

TEST(NameSizes, EveryNameIsAClassOfItsOwn) {
    const Solving k("kernel k(X: f32[2*N], Z: f32[_], P: size) -> Y: f32 { Y[i] = X[i + P]*Z[i]*M }");
    const Sizes s = k.named();
    for (const char* name : {"N", "P", "Z.0", "Y.0"}) EXPECT_TRUE(s.classes.has(name)) << name;
    EXPECT_FALSE(s.classes.has("i"));
    EXPECT_THAT(s.input_names, ElementsAre("Z.0"));
}

TEST(ApplySettings, TakesNumbersDefaultsAndEqualities) {
    const Solving k("kernel k(X: f32[N, M], T: size = 2) -> Y: f32 { Y[i, j] = X[i, j]*T }");
    const Sizes s = apply_settings(k.named(), {{"X.0", 5}}, {{"N", "X.1"}});
    EXPECT_EQ(value(s, "N"), "5");
    EXPECT_EQ(value(s, "M"), "5");
    EXPECT_EQ(value(s, "T"), "2");
}

TEST(ApplySettings, RefusesWhatTheKernelHasNotAndTwoNumbersForOneSize) {
    const Solving k("kernel k(X: f32[N]) -> Y: f32 { Y[i] = X[i] }");
    const auto with = [&](const Settings& known) {
        return refusal([&] { return apply_settings(k.named(), known, {}); });
    };
    EXPECT_EQ(with({{"Q", 1}}), "`Q` is no size, parameter, dim or index of the kernel");
    EXPECT_EQ(with({{"X.1", 1}}), "`X.1` names no dim: `X` has rank 1");
    EXPECT_EQ(with({{"X.a", 1}}), "`X.a` names no dim: `X` has rank 1");
    EXPECT_EQ(with({{"N", -1}}), "`N` is -1");
    EXPECT_EQ(with({{"N", 1}, {"X.0", 2}}), "`N` is 1 but `X.0` is 2, and both are one size");
}

TEST(PinIndices, AnIndexThatStandsAloneMakesDimsOneSize) {
    const Solving k("Y[i] += A[i, k]*B[k] where j in 1:3");
    const Sizes s = k.pinned();
    EXPECT_EQ(s.classes.root("A.1"), s.classes.root("B.0"));
    EXPECT_EQ(print(s.indices[0].at("k").extent), "A.1");
    EXPECT_EQ(print(s.indices[0].at("j").min), "1");
    EXPECT_TRUE(s.indices[0].at("j").fixed);
}

TEST(PinIndices, AnIndexThatNeverStandsAloneHasAnExtentOfItsOwn) {
    const Solving k("Y[2*i] = X[i + 1]");
    const Sizes s = k.pinned();
    EXPECT_EQ(print(s.indices[0].at("i").extent), "i@0");
}

TEST(PinIndices, ANumberForAnIndexHoldsInAllEquations) {
    const Solving k("T[i] = X[i]; Y[i] = Z[i]");
    const Sizes s = k.pinned({{"i", 4}});
    EXPECT_EQ(value(s, "X.0"), "4");
    EXPECT_EQ(value(s, "Z.0"), "4");
}

TEST(OpenInputs, BareDimsAndParametersBecomeSymbolsAndFormulasEqualities) {
    const Solving k("kernel k(X: f32[2*N], Z: f32[M], P: size) -> Y: f32 { Y[i] = X[i]*Z[i + P] }");
    const Sizes s = open_inputs(k.pinned());
    EXPECT_THAT(s.symbols, ElementsAre("M", "P", "X.0"));
    EXPECT_EQ(s.sources.at("M"), (SymbolSource{"Z", 0}));
    ASSERT_FALSE(s.equalities.empty());
    EXPECT_EQ(print(s.equalities.back().left) + " == " + print(s.equalities.back().right), "2*N == X.0");
}

TEST(OpenInputs, AnIndexOverADeclaredFormulaHasTheBuffersExtent) {
    const Solving k("kernel k(X: f32[A], Z: f32[N/2], K: size) -> Y: f32 { Y[i] += Z[i]*X[i/K] }");
    EXPECT_EQ(value(k.determined(), "Y.0"), "Z.0");
    EXPECT_EQ(value(k.determined({{"Z.0", 5}}), "Y.0"), "5");
    EXPECT_THAT(guards(test::solved(print(k.kernel), {{"K", std::nullopt}}).guards),
                ElementsAre("N/2 == Z.0", "(Z.0 - 1)/K + 1 <= A", "1 <= K"));
}

TEST(AddConstraints, AnAccessStaysInside) {
    EXPECT_THAT(slacks(Solving(conv1d).constrained()), ElementsAre("X.0 - F.0 - Y.0 + 1"));
    EXPECT_THAT(slacks(Solving("Y[i] = X[i + 1] where i in 2:N").constrained()), Contains("N - 2"));
}

TEST(AddConstraints, APlaceByDataIsLookedAtWhenTheKernelRuns) {
    const Solving k("kernel k(X: f32[N], I: i32[M]) -> Y: f32 { Y[i] = X[I[i]] }");
    const Sizes s = k.constrained();
    EXPECT_THAT(s.checked, ElementsAre(CheckedPlace{0, "X[I[i]]", 0}));
    EXPECT_THAT(s.constraints, IsEmpty());
}

TEST(FindDefinitions, ADimEndsAtTheLastPlaceWritten) {
    const Solving k("Y[2*i + 1] = X[i]");
    Sizes s = find_definitions(k.constrained());
    ASSERT_TRUE(s.definitions.contains("Y.0"));
    EXPECT_TRUE(use_definitions(s));
    EXPECT_EQ(value(s, "Y.0"), "2*X.0");
    EXPECT_FALSE(use_definitions(s));
}

TEST(UseEqualities, GiveOneSizeUnderTheGuardThatItDivides) {
    const Solving k("kernel k(X: f32[2*N]) -> Y: f32 { Y[i] = X[2*i] }");
    Sizes s = open_inputs(k.pinned());
    EXPECT_TRUE(use_equalities(s));
    EXPECT_EQ(value(s, "N"), "X.0/2");
    EXPECT_THAT(guards(s.guards), ElementsAre("2 divides X.0"));
}

TEST(UseEqualities, RefuseWhatIsNoWholeNumber) {
    const Solving k("kernel k(X: f32[2*N]) -> Y: f32 { Y[i] = X[2*i] }");
    EXPECT_EQ(refusal([&] {
                  Sizes s = open_inputs(k.pinned({{"X.0", 5}}));
                  use_equalities(s);
                  return s;
              }),
              "`N` would be 5/2: `X.0` is given");
}

TEST(UpperBound, IsTheLeastOfWhatAccessesAllow) {
    const Solving k("Y[i] = X[2*i] + Z[i + 3]");
    const Sizes s = k.constrained();
    const Upper upper = upper_bound(s, s.classes.root("Y.0"));
    ASSERT_TRUE(upper.value);
    EXPECT_EQ(print(*upper.value), "min(Z.0 - 3, (X.0 + 1)/2)");
    EXPECT_FALSE(upper.waits);
}

TEST(Determine, GivesEachSizeAFormulaOfThoseLeftOpen) {
    const Solving k(conv1d);
    const Sizes s = k.determined();
    EXPECT_EQ(value(s, "Y.0"), "X.0 - F.0 + 1");
    EXPECT_THAT(s.symbols, ElementsAre("X.0", "F.0"));
}

TEST(Determine, AnOutputsBufferGivesASizeThatMerelyBoundsOtherReads) {  // rule 2 is for indices of the left alone
    const Solving k("kernel k(E: f32[_]) -> (J: f32[H], O: f32) { J[m] = 1; O[] += E[b + 2]*J[b] }");
    EXPECT_THAT(k.determined().symbols, ElementsAre("E.0", "H"));
    EXPECT_EQ(refusal([&] { return refuse_undetermined(k.determined()); }), "none");
}

TEST(RefuseUndetermined, WhatNothingFixes) {
    const Solving k(conv1d), open("Y[i] = X[0]");
    EXPECT_EQ(refusal([&] { return refuse_undetermined(k.determined()); }), "none");
    EXPECT_EQ(refusal([&] { return refuse_undetermined(open.determined()); }), "nothing fixes the size `Y.0`");
}

TEST(CheckGiven, ANumberForARuleTwoSizeMustBeTheLargest) {
    const Solving k(conv1d);
    const Sizes s = check_given(k.determined({{"Y.0", 3}}));
    ASSERT_FALSE(s.equalities.empty());
    EXPECT_EQ(print(s.equalities.back().left), "X.0 - F.0 + 1");
    EXPECT_EQ(print(s.equalities.back().right), "3");
}

TEST(SolveBackward, TakesTheLeastInputForAGivenOutput) {
    const Settings known{{"Y.0", 3}, {"F.0", 2}};
    const Solving k(conv1d);
    const Sizes s = solve_backward(check_given(k.determined(known)), known);
    EXPECT_EQ(value(s, "X.0"), "4");
    EXPECT_THAT(s.symbols, IsEmpty());
}

TEST(SolveBackward, ChoosesNoInputWhereNoNumberIsGiven) {
    const Solving k("kernel k(X: f32[N], W: f32[_], K: size) -> Y: f32 { T[i + 1] += W[2*i + K]; Y[i] += T[i]*X[i] }");
    const Settings open{{"K", std::nullopt}};
    EXPECT_EQ(value(solve_backward(k.determined(open), open), "W.0"), "W.0");
}

TEST(CheckOrGuard, NumbersAreCheckedAndTheRestIsGuarded) {
    EXPECT_THAT(guards(check_or_guard(Solving(conv1d).determined()).guards), ElementsAre("F.0 <= X.0"));
    const Solving fixed("Y[i] = X[i]*Z[3]");
    EXPECT_EQ(refusal([&] { return check_or_guard(fixed.determined({{"Z.0", 2}})); }),
              "Z[3] reaches position 3 in dim 0 of `Z`, which has extent 2");
}

TEST(CheckCollisions, StepsAreAsWideAsTheSmallerOnesReach) {
    const Solving k("kernel k(X: f32[N, M], W: size) -> Y: f32 { Y[W*i + j] = X[i, j] }");
    EXPECT_THAT(guards(check_collisions(k.determined()).guards), Contains("M <= W"));
    EXPECT_THAT(check_collisions(Solving("Y[i*i] = X[i]").determined()).guards, IsEmpty());
    const Solving meet("Y[i/2] = X[i]");
    EXPECT_EQ(refusal([&] { return check_collisions(meet.determined({{"X.0", 4}})); }),
              "points of Y[i/2] meet in one element, and `=` keeps only one value");
}

TEST(CheckCollisions, APlaceOfOneIndexTellsAsManyValuesApartAsItTakes) {
    const auto guarded = [](const char* text) { return guards(check_collisions(Solving(text).determined()).guards); };
    EXPECT_THAT(guarded("Y[i%4] = X[i]"), Contains("X.0 <= 4"));
    EXPECT_THAT(guarded("Y[min(i, 3)] = X[i]"), Contains("X.0 <= 4"));
    EXPECT_THAT(guarded("Y[(i + 2)%4] = X[i]"), Contains("X.0 <= 4"));
    EXPECT_THAT(guarded("Y[i16(i)] = X[i]"), Contains("X.0 <= 65536"));
    EXPECT_THAT(guarded("kernel k(X: f32[N, M, K], W: size) -> Y: f32 { Y[i/4, i%4, W*j + k] = X[i, j, k] }"),
                AllOf(Contains("K <= W"), Not(Contains("N <= 4"))))
        << "a quotient and its rest are the whole";
    EXPECT_EQ(refusal([&] { return check_collisions(Solving("Y[i/2 + i/3] = X[i]").determined()); }),
              "points of Y[i/2 + i/3] meet in one element, and `=` keeps only one value");
}

TEST(CheckCollisions, AFoldedPlaceTellsValuesApartOnOneSideOfItsFold) {
    const auto guarded = [](const char* text) { return guards(check_collisions(Solving(text).determined()).guards); };
    EXPECT_THAT(guarded("Y[max(i, 0)] = X[i]"), IsEmpty());
    EXPECT_THAT(guarded("Y[max(i, 3)] = X[i]"), Contains("X.0 <= 1"));
    EXPECT_THAT(guarded("Y[max(i, 3)] = X[i] where i in 3:9"), IsEmpty());
    EXPECT_THAT(guarded("Y[i%1] = X[i]"), Contains("X.0 <= 1"));
    EXPECT_THAT(guarded("kernel k(X: f32[N], K: size) -> Y: f32 { Y[i%K] = X[i] }"), Contains("N <= K"));
    EXPECT_THAT(guarded("kernel k(X: f32[N], P: size = 1) -> Y: f32 { Y[3 - (P - i)%5] = X[i] }"), Contains("N <= 5"));
    EXPECT_THAT(guarded("Y[abs(i - 2)] = X[i]"), Contains("X.0 <= 3"));
    EXPECT_THAT(guarded("Y[abs(i - 2)] = X[i] where i in 2:9"), IsEmpty());
    EXPECT_THAT(guarded("Y[i, abs(j - i)] = X[i, j]"), Contains("0 <= max(1 - X.0, 1 - X.1)"));
}

TEST(CheckCollisions, AQuotientTellsValuesApartWhereTheDivisorIsOne) {
    const auto checked = [](const std::string& text) {
        return check_collisions(Solving("kernel k(X: f32[N], T: size) -> Y: f32 { " + text + " }").determined());
    };
    const auto guarded = [&](const std::string& text) { return guards(checked(text).guards); };
    EXPECT_THAT(guarded("Y[i/T] = X[i]"), Contains("T <= 1"));
    EXPECT_THAT(guarded("Y[(i + 1)/T] = X[i] where i in 0:3"), Contains("T <= 1"));
    EXPECT_THAT(guarded("Y[(N - 1 - i)/T] = X[i]"), Contains("T <= 1"));
    // Two values may lie on both sides of a multiple, or another place may tell them apart; by 2 or more some never are.
    for (const std::string place : {"(i + 1)/T] = X[i] where i in 0:2", "i/2] = X[i]", "i/(T + 2)] = X[i]"})
        EXPECT_EQ(refusal([&] { return checked("Y[" + place); }).substr(0, 11), "points of Y") << place;
    EXPECT_THAT(guarded("Y[i/T, (i + 1)%T] = X[i]"), AllOf(Contains("N <= T"), Not(Contains("T <= 1"))));
}

TEST(CheckCollisions, AQuotientAndItsRestAreTheWhole) {
    for (const char* text : {"kernel k(X: f32[N], B: size) -> Y: f32 { Y[2*(i/2) + i%2] = X[i] }",
                             "kernel k(X: f32[N], B: size) -> Y: f32 { Y[B*(i/B) + i%B] = X[i] }",
                             "kernel k(X: f32[N], B: size) -> Y: f32 { Y[i%B - (i/B)*(0 - B)] = X[i] }"}) {
        const Solution s = test::solved(text, {{"B", std::nullopt}});
        EXPECT_EQ(print(s.extents.at("Y")[0]), "N") << text;
    }
    EXPECT_FALSE(solve(kernel_of("kernel k(X: f32[N]) -> Y: f32 { Y[i/2 + i%2] = X[i/2] }"), {{"N", 9}}));
}

TEST(CheckGiven, AsksNothingOfAnIndexThatAReadPins) {  // k runs over H, whatever T[k + 2, k] would allow
    const std::string text = "kernel k(X: f32[9]) -> (T: f32[_, H], I: f32) { T[i, 0] += X[i]; I[k] += T[k + 2, k] }";
    EXPECT_EQ(test::size(test::solved(text, {{"H", 5}}), "I.0"), "5");
    EXPECT_EQ(solve(kernel_of(text), {{"H", 8}}).error().what,
              "T[k + 2, k] reaches position 9 in dim 0 of `T`, which has extent 9");
}

TEST(GuardList, HoldsEachGuardOnceWithoutMinusSigns) {
    GuardList list({});
    const Formula n = Formula::symbol("N");
    list.add_nonnegative(n - Formula(3), {}, {}, {});
    list.add_nonnegative(n - Formula(3), {}, {}, {});
    list.add_nonnegative(n, {}, {}, {});  // holds anyway
    EXPECT_THAT(guards(list.take()), ElementsAre("3 <= N"));
}

TEST(FewerGuards, DropsWhatTheOthersImply) {
    const Formula n = Formula::symbol("N"), m = Formula::symbol("M");
    const auto at_most = [](const Formula& a, const Formula& b) { return Guard{a, Relation::at_most, b}; };
    EXPECT_THAT(guards(fewer_guards({at_most(3, n), at_most(5, n)})), ElementsAre("5 <= N"));
    EXPECT_THAT(guards(fewer_guards({at_most(n, m), at_most(3, n), at_most(2, m)})), ElementsAre("N <= M", "3 <= N"));
}

TEST(Guards, AnExtentWithoutANumberIsNotZero) {
    const Formula k = Formula::symbol("K"), n = Formula::symbol("N");
    const Guard guard{k, Relation::at_most, 4, -1, "", -1, "", "", {floor_div(n, k)}};
    EXPECT_TRUE(holds(guard, {{"K", 0}, {"N", 3}}));
    EXPECT_TRUE(holds(guard, {{"K", 5}, {"N", 3}}));  // nothing is accessed
    EXPECT_FALSE(holds(guard, {{"K", 5}, {"N", 5}}));
}

TEST(SizeFailure, CarriesTheRelationsThatLedToIt) {
    const Solving k("kernel k(A: f32[N], B: f32[M]) -> Y: f32 { Y[i] = A[i]*B[i] }");
    try {
        k.pinned({{"N", 3}, {"M", 4}});
        FAIL() << "two extents for one index";
    } catch (const SizeFailure& failure) {
        EXPECT_THAT(failure.reasons(),
                    ElementsAre("`N` = 3 is given", "1:44: index `i` has one extent in Y[i] and A[i]: `Y.0` = `N`",
                                "`M` = 4 is given"));
    }
}

}  // namespace
}  // namespace halogen
